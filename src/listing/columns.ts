/** Kinds of numbers that a column can hold. */
type Numbers = Uint8Array | Uint32Array | Float64Array;

/**
 * Numbers of many rows, column by column: a scan of a million rows reads them one after the other, and the garbage
 * collector does not look at them at all. Rows can be inserted and removed anywhere.
 */
export class Columns<Names extends string> {
  readonly #kinds: Readonly<Record<Names, new (length: number) => Numbers>>;
  #columns: Record<Names, Numbers>;
  #count = 0;
  #room = 0;

  /** @param kinds the columns with their kinds of numbers */
  constructor(kinds: Readonly<Record<Names, new (length: number) => Numbers>>) {
    this.#kinds = kinds;
    this.#columns = this.#allocate(0);
  }

  /** A column: its first rows are in use, what follows is room. To be taken anew after an insert. */
  column(name: Names): Numbers {
    return this.#columns[name];
  }

  /** The number of a row. */
  get(name: Names, row: number): number {
    return this.#columns[name][row] ?? 0;
  }

  set(name: Names, row: number, value: number): void {
    this.#columns[name][row] = value;
  }

  /** Makes a row at a place, of any numbers; those from there on move up. */
  insert(row: number): void {
    this.#makeRoom(this.#count + 1);
    if (row < this.#count) for (const column of this.#all()) column.copyWithin(row + 1, row, this.#count);
    this.#count++;
  }

  remove(row: number): void {
    for (const column of this.#all()) column.copyWithin(row, row + 1, this.#count);
    this.#count--;
  }

  #all(): Numbers[] {
    return Object.values(this.#columns);
  }

  #makeRoom(count: number): void {
    if (count <= this.#room) return;
    // A quarter more, so that growing by one row does not copy all of them each time.
    this.#room = Math.ceil(count * 1.25) + 64;
    const grown = this.#allocate(this.#room);
    for (const name of this.#names()) grown[name].set(this.#columns[name]);
    this.#columns = grown;
  }

  #allocate(length: number): Record<Names, Numbers> {
    const columns = this.#names().map((name) => [name, new this.#kinds[name](length)] as const);
    // Of every name.
    return Object.fromEntries(columns) as Record<Names, Numbers>;
  }

  #names(): Names[] {
    // The keys of a record of Names.
    return Object.keys(this.#kinds) as Names[];
  }
}
