import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession, Db, Document, Long, MongoClient } from "mongodb";
import { isHistoryLost } from "./classify-error.ts";

export interface ChangeFeedOptions<Inserted> {
  client: MongoClient;
  db: Db;
  /** The collection whose inserts are followed, or several. */
  collection: string | readonly string[];
  /** Takes every document that is inserted, in order, and never throws. */
  onInsert: (document: Inserted) => void;
  /** Documents may have been missed: everything that rests on them is to be read again. */
  onGap: () => void;
  /** Takes what following failed with, the first failure and then at most one in REPORT_MS. */
  onFailure: (error: unknown) => void;
}

/** How long the database waits for news before it answers that there are none. */
const WAIT_MAX_MS = 50;
const RETRY_MS = 100;
const REPORT_MS = 30_000;

interface Batch {
  id: Long;
  nextBatch?: { fullDocument: unknown }[];
  postBatchResumeToken: Document;
}

/**
 * Follows the inserts of collections by a change stream, and knows until when it has seen them all. It goes on after errors
 * where it was, and after a gap from now on. Done with commands instead of the driver's stream, which does not tell when a
 * batch was asked for.
 */
export class ChangeFeed<Inserted> {
  readonly #options: ChangeFeedOptions<Inserted>;
  readonly #session: ClientSession;
  #resumeAfter: Document | undefined;
  #seenUntilMs = Number.NEGATIVE_INFINITY;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(options: ChangeFeedOptions<Inserted>) {
    this.#options = options;
    // A cursor belongs to the session that it was opened in.
    this.#session = options.client.startSession();
    this.#ended = this.#follow();
  }

  /**
   * What a majority had at this time, on the clock of `performance.now()`, has been handed on, as far as the primary that was
   * asked knew of it. One that is cut off from the majority, together with this node, answers in the old way until it notices
   * that it has lost its office: for up to the election timeout, 10 s by default.
   */
  get seenUntilMs(): number {
    return this.#seenUntilMs;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.race([this.#ended, sleep(10 * WAIT_MAX_MS, undefined, { ref: false })]);
    await this.#session.endSession();
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      await this.#readUntilError().catch(async (error: unknown) => {
        this.#report(error);
        // Whatever went wrong, what is held is not kept fresh meanwhile: seenUntilMs says so.
        await sleep(RETRY_MS, undefined, { ref: false });
      });
    }
  }

  async #readUntilError(): Promise<void> {
    const { db, collection: followed } = this.#options;
    // Of several, the whole database is followed, whose cursor the server calls so.
    const collection = typeof followed === "string" ? followed : "$cmd.aggregate";
    let cursor = await this.#open();
    while (!this.#isStopped) {
      const sentMs = performance.now();
      const command = { getMore: cursor.id, collection, maxTimeMS: WAIT_MAX_MS };
      cursor = (await db.command(command, { session: this.#session })).cursor;
      this.#take(cursor, sentMs);
    }
    await db.command({ killCursors: collection, cursors: [cursor.id] }, { session: this.#session });
  }

  async #open(): Promise<Batch> {
    const { onGap } = this.#options;
    try {
      const cursor = await this.#aggregate(this.#resumeAfter && { resumeAfter: this.#resumeAfter });
      // What was inserted before the first start is of no concern to anybody who read after it.
      if (this.#resumeAfter === undefined) onGap();
      this.#resumeAfter = cursor.postBatchResumeToken;
      return cursor;
    } catch (error) {
      if (isHistoryLost(error)) this.#resumeAfter = undefined;
      throw error;
    }
  }

  async #aggregate(start: Document | undefined): Promise<Batch> {
    const { collection, db } = this.#options;
    const isOne = typeof collection === "string";
    const wanted = { operationType: "insert", ...(!isOne && { "ns.coll": { $in: collection } }) };
    const pipeline = [{ $changeStream: { ...start } }, { $match: wanted }];
    // Without a first batch, which would be limited: what has happened comes with the next, as far as it has.
    const command = { aggregate: isOne ? collection : 1, pipeline, cursor: { batchSize: 0 } };
    return (await db.command(command, { session: this.#session })).cursor;
  }

  #report(error: unknown): void {
    const nowMs = performance.now();
    if (this.#isStopped || nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    this.#options.onFailure(error);
  }

  #take({ nextBatch, postBatchResumeToken }: Batch, sentMs: number): void {
    for (const { fullDocument } of nextBatch ?? []) {
      // The collections get documents of this shape alone.
      this.#options.onInsert(fullDocument as Inserted);
    }
    this.#resumeAfter = postBatchResumeToken;
    this.#seenUntilMs = sentMs;
  }
}
