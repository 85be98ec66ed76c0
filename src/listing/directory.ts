import { compareText, creditsRemaining, creditsUsed, foldCase, type ListQuery, type ListRow } from "./listing.ts";
import { selectRange } from "./select-range.ts";

/** Rows that are looked at in one go. */
const STRIDE = 20_000;
/** In the order of the words. */
const STATUSES = ["active", "deleted", "disabled"] as const;
const ID_TEXT = /^[a-z0-9_]*$/;

/** The consumers of one project, in memory, sorted by id, which is by age. */
export class Directory {
  /** By id. */
  #rows: ListRow[] = [];
  readonly #rest: () => Promise<void>;

  /** @param rest is awaited between the steps of long work, so that it does not hold up other projects */
  constructor(rest: () => Promise<void>) {
    this.#rest = rest;
  }

  get size(): number {
    return this.#rows.length;
  }

  /** Adds a row, or replaces the one of the same consumer. */
  put(row: ListRow): void {
    const place = this.#placeOf(row.consumerId);
    const isThere = this.#rows[place]?.consumerId === row.consumerId;
    // New consumers are the youngest, and come last without anything being moved.
    if (place === this.#rows.length) this.#rows.push(row);
    else this.#rows.splice(place, isThere ? 1 : 0, row);
  }

  remove(consumerId: string): void {
    const place = this.#placeOf(consumerId);
    if (this.#rows[place]?.consumerId === consumerId) this.#rows.splice(place, 1);
  }

  find(consumerId: string): ListRow | undefined {
    const row = this.#rows[this.#placeOf(consumerId)];
    return row?.consumerId === consumerId ? row : undefined;
  }

  /** The page of a query at a time. Nothing may be changed until it has resolved. */
  async list(query: ListQuery, nowMs: number): Promise<{ consumerIds: string[]; total: number; filtered: number }> {
    const { matches, total } = await this.#match(query, nowMs);
    const filtered = matches.length;
    const skipped = (query.page - 1) * query.limit;
    const start = Math.min(skipped, filtered);
    const end = Math.min(skipped + query.limit, filtered);
    const isDescending = query.sortOrder === "desc";
    // The other direction is the exact reverse: ties break on the id in the order of the sort.
    const [from, to] = isDescending ? [filtered - end, filtered - start] : [start, end];
    const page = [...(await this.#sorted(matches, query, nowMs, from, to))];
    if (isDescending) page.reverse();
    return { consumerIds: page.map((index) => this.#row(index).consumerId), total, filtered };
  }

  /** The indexes of the rows that match, by id, and how many rows there are at all. */
  async #match(query: ListQuery, nowMs: number): Promise<{ matches: Uint32Array; total: number }> {
    const matches = new Uint32Array(this.#rows.length);
    const isMatch = matcher(query);
    let total = 0;
    let filtered = 0;
    for (let index = 0; index < this.#rows.length; index++) {
      if (index % STRIDE === STRIDE - 1) await this.#rest();
      const row = this.#row(index);
      if (row.goneAtMs <= nowMs) continue;
      total++;
      if (isMatch(row)) matches[filtered++] = index;
    }
    return { matches: matches.subarray(0, filtered), total };
  }

  /** The matches from one place up to another, sorted in rising order. */
  async #sorted(
    matches: Uint32Array,
    { sortBy }: ListQuery,
    nowMs: number,
    from: number,
    to: number,
  ): Promise<Uint32Array> {
    if (sortBy === "createdAt" || from === to) return matches.subarray(from, to);
    if (sortBy === "status") return byStatus(matches, (index) => this.#row(index)).subarray(from, to);
    const compare =
      sortBy === "name"
        ? (a: number, b: number) => compareText(this.#row(a).name, this.#row(b).name) || a - b
        : await this.#amountOrder(matches, sortBy === "creditsUsed" ? creditsUsed : creditsRemaining, nowMs);
    await selectRange(matches, compare, from, to, this.#rest);
    return matches.subarray(from, to);
  }

  /** Computes each amount once, not with every comparison. */
  async #amountOrder(matches: Uint32Array, amountOf: (row: ListRow, nowMs: number) => number, nowMs: number) {
    const amounts = new Float64Array(this.#rows.length);
    for (const [done, index] of matches.entries()) {
      if (done % STRIDE === STRIDE - 1) await this.#rest();
      amounts[index] = amountOf(this.#row(index), nowMs);
    }
    return (a: number, b: number): number => {
      const x = amounts[a] ?? 0;
      const y = amounts[b] ?? 0;
      // Not by subtraction: infinite amounts are equal to each other.
      return x === y ? a - b : x < y ? -1 : 1;
    };
  }

  /** The first place whose row has this id or a greater one. */
  #placeOf(consumerId: string): number {
    let low = 0;
    let high = this.#rows.length;
    // Most that are looked for and not found are new, and come last.
    if (high > 0 && this.#row(high - 1).consumerId < consumerId) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#row(middle).consumerId < consumerId) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #row(index: number): ListRow {
    const row = this.#rows[index];
    if (row === undefined) throw new RangeError(`there is no row ${index} of ${this.#rows.length}`);
    return row;
  }
}

function matcher({ search, planId, status }: ListQuery): (row: ListRow) => boolean {
  const inName = foldCase(search ?? "");
  const inId = (search ?? "").toLowerCase();
  const mayBeId = ID_TEXT.test(inId);
  return (row) =>
    (status === undefined || row.status === status) &&
    (planId === undefined || row.planId === planId) &&
    (inName === "" || row.folded.includes(inName) || (mayBeId && row.consumerId.includes(inId)));
}

/** Indexes that are sorted by id, sorted by the word of the status, then by id. */
function byStatus(indexes: Uint32Array, rowOf: (index: number) => ListRow): Uint32Array {
  const sorted = new Uint32Array(indexes.length);
  let place = 0;
  for (const status of STATUSES) {
    for (const index of indexes) if (rowOf(index).status === status) sorted[place++] = index;
  }
  return sorted;
}
