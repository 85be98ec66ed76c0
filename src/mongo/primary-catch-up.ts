import type { Database } from "./client.ts";

/**
 * A primary that was just elected may not know yet that a majority has what it has: for a moment, a snapshot that it is asked
 * for is of a time before writes that were acknowledged. Whoever reads from snapshots waits until that is over. Elections behind
 * a router of a sharded cluster are not seen.
 */
export class PrimaryCatchUp {
  readonly #db: Database["db"];
  #caughtUp: Promise<void> | undefined;
  #primaries = 0;

  constructor({ db, onPrimaryChange }: Pick<Database, "db" | "onPrimaryChange">) {
    this.#db = db;
    onPrimaryChange(() => {
      this.#primaries++;
      this.#caughtUp = undefined;
    });
  }

  /** How many primaries there were: what was read while it changed may be of one that had not caught up. */
  get primaries(): number {
    return this.#primaries;
  }

  /** Resolves when snapshots of this primary have all that was acknowledged before. Asks the database once for each primary. */
  done(): Promise<void> {
    if (this.#caughtUp !== undefined) return this.#caughtUp;
    const caughtUp = this.#catchUp();
    this.#caughtUp = caughtUp;
    caughtUp.catch(() => {
      if (this.#caughtUp === caughtUp) this.#caughtUp = undefined;
    });
    return caughtUp;
  }

  async #catchUp(): Promise<void> {
    // The time of the last write that the primary has; a snapshot of it is given when a majority has that write.
    const { operationTime } = await this.#db.command({ ping: 1 });
    const readConcern = { level: "snapshot", atClusterTime: operationTime };
    await this.#db.command({ find: "settings", filter: { _id: "schema" }, limit: 1, singleBatch: true, readConcern });
  }
}
