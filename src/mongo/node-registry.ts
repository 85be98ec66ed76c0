import type { Db, ServerSessionId } from "mongodb";
import { type Periodic, runPeriodically } from "../lib/periodic.ts";
import type { CollectionIndexes } from "./schema.ts";
import type { SessionPool } from "./session-pool.ts";

/** Nodes are as few as the processes of the service. */
export const nodeIndexes: CollectionIndexes = { collection: "nodes", indexes: [{ name: "seen", key: { seenAt: 1 } }] };

interface StoredNode {
  _id: string;
  sessions: ServerSessionId[];
  /** On the database's clock. */
  seenAt: Date;
}

const BEAT_MS = 300;
/** A node that has not been seen for so long is taken for dead, or for paused. */
const DEAD_AFTER_MS = 1_000;

/**
 * Nodes that are there, and the sessions of their transactions. MongoDB keeps the transaction of a process that was killed for a
 * minute, and with it everything that it has written locked; so nodes end the sessions of those that are not seen any more. One
 * that was only paused meets an error as after any conflict, and does its work again.
 */
export class NodeRegistry {
  readonly #db: Db;
  readonly #nodeId: string;
  readonly #sessions: SessionPool;
  readonly #beating: Periodic;

  constructor(db: Db, nodeId: string, sessions: SessionPool) {
    this.#db = db;
    this.#nodeId = nodeId;
    this.#sessions = sessions;
    this.#beating = runPeriodically(() => this.#beat().catch(() => undefined), BEAT_MS);
  }

  async stop(): Promise<void> {
    await this.#beating.stop();
    await this.#nodes()
      .deleteOne({ _id: this.#nodeId })
      .catch(() => undefined);
  }

  #nodes() {
    // What a failover takes back is written again by the next beat.
    return this.#db.collection<StoredNode>("nodes", { writeConcern: { w: 1 } });
  }

  async #beat(): Promise<void> {
    const nodes = this.#nodes();
    const sessions = { $literal: this.#sessions.ids() };
    // Whether or not others took this node for dead meanwhile. Served by _id.
    await nodes.updateOne({ _id: this.#nodeId }, [{ $set: { sessions, seenAt: "$$NOW" } }], { upsert: true });
    const deadSince = { $lt: ["$seenAt", { $subtract: ["$$NOW", DEAD_AFTER_MS] }] };
    for (const dead of await nodes.find({ $expr: deadSince }).toArray()) {
      await this.#db.admin().command({ killSessions: dead.sessions });
      // Unless it was seen again. Served by _id.
      await nodes.deleteOne({ _id: dead._id, seenAt: dead.seenAt });
    }
  }
}
