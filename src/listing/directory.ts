import { Columns } from "./columns.ts";
import {
  compareText,
  creditsRemaining,
  creditsUsed,
  foldCase,
  type ListCredits,
  type ListQuery,
  type ListRow,
  type ListTerms,
} from "./listing.ts";
import { Numbering } from "./numbering.ts";
import { selectRange } from "./select-range.ts";

/** Rows that are looked at in one go. */
const STRIDE = 50_000;
/** In the order of the words. */
const STATUSES = ["active", "deleted", "disabled"] as const;
const ID_TEXT = /^[a-z0-9_]*$/;
/** Numbers, id and the heads of the texts of a row. */
const ROW_BYTES = 200;
/** Most texts take one byte for each, some two. */
const CHARACTER_BYTES = 2;

/** The consumers of one project, in memory, sorted by id, which is by age. */
export class Directory {
  readonly #rest: () => Promise<void>;
  /** By id. */
  readonly #ids: string[] = [];
  readonly #names: (string | null)[] = [];
  /** null: too long to be kept twice; it is folded for each search. */
  readonly #folded: (string | null)[] = [];
  readonly #columns = new Columns({
    ...{ status: Uint8Array, plan: Uint32Array, goneAtMs: Float64Array, terms: Uint32Array },
    ...{ limit: Float64Array, used: Float64Array, nextRefillAt: Float64Array, expiresAt: Float64Array },
  });
  readonly #plans = new Numbering<string | null>(null);
  readonly #terms = new Numbering<string>("");
  /** By their number. */
  readonly #termsOf: (ListTerms | null)[] = [null];
  /** Of all names. */
  #characters = 0;
  /** Room for the work on a query, kept: memory that comes and goes makes the garbage collector look at all names. */
  #matches = new Uint32Array(0);
  #ordered = new Uint32Array(0);
  #amounts = new Float64Array(0);

  /** @param rest is awaited between the steps of long work, so that it does not hold up other projects */
  constructor(rest: () => Promise<void>) {
    this.#rest = rest;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#ids.length * ROW_BYTES + this.#characters * CHARACTER_BYTES;
  }

  /** Adds a row, or replaces the one of the same consumer. */
  put(row: ListRow): void {
    const place = this.#placeOf(row.consumerId);
    if (this.#ids[place] !== row.consumerId) this.#insert(place);
    this.#characters += (row.name?.length ?? 0) - (this.#names[place]?.length ?? 0);
    this.#ids[place] = row.consumerId;
    this.#names[place] = row.name;
    this.#folded[place] = row.folded;
    this.#columns.set("status", place, STATUSES.indexOf(row.status));
    this.#columns.set("plan", place, this.#plans.numberOf(row.planId));
    this.#columns.set("goneAtMs", place, row.goneAtMs);
    this.#putCredits(place, row.credits);
  }

  /** Replaces the credits of a consumer, if it is there. */
  putCredits(consumerId: string, credits: ListCredits | null): void {
    const place = this.#placeOf(consumerId);
    if (this.#ids[place] === consumerId) this.#putCredits(place, credits);
  }

  remove(consumerId: string): void {
    const place = this.#placeOf(consumerId);
    if (this.#ids[place] !== consumerId) return;
    this.#characters -= this.#names[place]?.length ?? 0;
    for (const texts of [this.#ids, this.#names, this.#folded]) texts.splice(place, 1);
    this.#columns.remove(place);
  }

  /** The page of a query at a time. Nothing may be changed until it has resolved. */
  async list(query: ListQuery, nowMs: number): Promise<{ consumerIds: string[]; total: number; filtered: number }> {
    this.#makeRoom();
    const { matches, total } = await this.#match(query, nowMs);
    const filtered = matches.length;
    const skipped = (query.page - 1) * query.limit;
    const start = Math.min(skipped, filtered);
    const end = Math.min(skipped + query.limit, filtered);
    const isDescending = query.sortOrder === "desc";
    // The other direction is the exact reverse: ties break on the id in the order of the sort.
    const [from, to] = isDescending ? [filtered - end, filtered - start] : [start, end];
    const page = [...(await this.#sort(matches, query, nowMs, from, to))];
    if (isDescending) page.reverse();
    return { consumerIds: page.map((row) => this.#ids[row] ?? ""), total, filtered };
  }

  /** New consumers are the youngest, and come last without anything being moved. */
  #insert(place: number): void {
    if (place < this.#ids.length)
      for (const texts of [this.#ids, this.#names, this.#folded]) texts.splice(place, 0, "");
    this.#columns.insert(place);
  }

  #putCredits(place: number, credits: ListCredits | null): void {
    const terms = this.#terms.numberOf(credits?.terms.id ?? "");
    this.#columns.set("terms", place, terms);
    if (credits === null) return;
    this.#termsOf[terms] = credits.terms;
    this.#columns.set("limit", place, credits.limit);
    this.#columns.set("used", place, credits.used);
    this.#columns.set("nextRefillAt", place, credits.nextRefillAt);
    this.#columns.set("expiresAt", place, credits.expiresAt ?? Number.POSITIVE_INFINITY);
  }

  #creditsOf(row: number): ListCredits | null {
    const terms = this.#termsOf[this.#columns.get("terms", row)] ?? null;
    const expiresAt = this.#columns.get("expiresAt", row);
    return (
      terms && {
        limit: this.#columns.get("limit", row),
        used: this.#columns.get("used", row),
        nextRefillAt: this.#columns.get("nextRefillAt", row),
        expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
        terms,
      }
    );
  }

  /** The rows that match, by id, and how many rows there are at all. */
  async #match(query: ListQuery, nowMs: number): Promise<{ matches: Uint32Array; total: number }> {
    const goneAtMs = this.#columns.column("goneAtMs");
    const isMatch = this.#matcher(query);
    let total = 0;
    let filtered = 0;
    for (let row = 0; row < this.#ids.length; row++) {
      if (row % STRIDE === STRIDE - 1) await this.#rest();
      if ((goneAtMs[row] ?? 0) <= nowMs) continue;
      total++;
      if (isMatch(row)) this.#matches[filtered++] = row;
    }
    return { matches: this.#matches.subarray(0, filtered), total };
  }

  #matcher({ search, planId, status }: ListQuery): (row: number) => boolean {
    const statuses = this.#columns.column("status");
    const plans = this.#columns.column("plan");
    const wantedStatus = status && STATUSES.indexOf(status);
    const wantedPlan = planId === undefined ? undefined : this.#plans.find(planId);
    // A plan that nobody holds.
    if (planId !== undefined && wantedPlan === undefined) return () => false;
    const isSearched = textMatcher(search ?? "");
    return (row) =>
      (wantedStatus === undefined || statuses[row] === wantedStatus) &&
      (wantedPlan === undefined || plans[row] === wantedPlan) &&
      (isSearched === undefined ||
        isSearched(this.#folded[row] ?? foldCase(this.#names[row] ?? ""), this.#ids[row] ?? ""));
  }

  /** The matches from one place up to another, sorted in rising order. */
  async #sort(
    matches: Uint32Array,
    { sortBy }: ListQuery,
    nowMs: number,
    from: number,
    to: number,
  ): Promise<Uint32Array> {
    if (sortBy === "createdAt" || from === to) return matches.subarray(from, to);
    if (sortBy === "status") return this.#byStatus(matches).subarray(from, to);
    const compare =
      sortBy === "name"
        ? (a: number, b: number) => compareText(this.#names[a] ?? null, this.#names[b] ?? null) || a - b
        : await this.#amountOrder(matches, sortBy === "creditsUsed" ? creditsUsed : creditsRemaining, nowMs);
    await selectRange(matches, compare, from, to, this.#rest);
    return matches.subarray(from, to);
  }

  /** Computes each amount once, not with every comparison. */
  async #amountOrder(
    matches: Uint32Array,
    amountOf: (credits: ListCredits | null, nowMs: number) => number,
    nowMs: number,
  ): Promise<(a: number, b: number) => number> {
    const amounts = this.#amounts;
    for (const [done, row] of matches.entries()) {
      if (done % STRIDE === STRIDE - 1) await this.#rest();
      amounts[row] = amountOf(this.#creditsOf(row), nowMs);
    }
    return (a, b) => {
      const x = amounts[a] ?? 0;
      const y = amounts[b] ?? 0;
      // Not by subtraction: infinite amounts are equal to each other.
      return x === y ? a - b : x < y ? -1 : 1;
    };
  }

  /** Matches, sorted by the word of the status, then by id. */
  #byStatus(matches: Uint32Array): Uint32Array {
    const statuses = this.#columns.column("status");
    let place = 0;
    for (const status of STATUSES.keys()) {
      for (const row of matches) if (statuses[row] === status) this.#ordered[place++] = row;
    }
    return this.#ordered;
  }

  #makeRoom(): void {
    if (this.#matches.length >= this.#ids.length) return;
    const room = Math.ceil(this.#ids.length * 1.125);
    this.#matches = new Uint32Array(room);
    this.#ordered = new Uint32Array(room);
    this.#amounts = new Float64Array(room);
  }

  /** The first place whose row has this id or a greater one. */
  #placeOf(consumerId: string): number {
    let low = 0;
    let high = this.#ids.length;
    // Most that are looked for and not found are new, and come last.
    if (high > 0 && (this.#ids[high - 1] ?? "") < consumerId) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? "") < consumerId) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether a folded name or an id has a text in it; undefined: every one has. */
function textMatcher(search: string): ((folded: string, consumerId: string) => boolean) | undefined {
  if (search === "") return undefined;
  const inName = foldCase(search);
  const inId = search.toLowerCase();
  const mayBeId = ID_TEXT.test(inId);
  return (folded, consumerId) => folded.includes(inName) || (mayBeId && consumerId.includes(inId));
}
