import { setTimeout as sleep } from "node:timers/promises";
import type { Db, ServerSessionId } from "mongodb";
import { type Periodic, runPeriodically } from "../lib/periodic.ts";
import { killSessions } from "./kill-sessions.ts";
import type { CollectionIndexes } from "./schema.ts";
import type { SessionPool } from "./session-pool.ts";
import { SilentNodes } from "./silent-nodes.ts";

/** Nodes are as few as the processes of the service, and always read together. */
export const nodeIndexes: CollectionIndexes = { collection: "nodes", indexes: [] };

interface StoredNode {
  _id: string;
  sessions: ServerSessionId[];
  /** On the database's clock; that it changes shows that the node is there. */
  seenAt: Date;
}

const BEAT_MS = 300;
const LEAVE_MAX_MS = 1_000;

/**
 * Nodes that are there, and the sessions of their transactions. MongoDB keeps the transaction of a process that was killed for a
 * minute, and with it everything that it has written locked; so nodes end the sessions of those that are not seen any more. One
 * that was only paused meets an error as after any conflict, and does its work again.
 */
export class NodeRegistry {
  readonly #db: Db;
  readonly #nodeId: string;
  readonly #sessions: SessionPool;
  readonly #silentNodes = new SilentNodes();
  #beating: Periodic | undefined;
  #underWay: Promise<void> | undefined;
  /** A beat is to follow the one under way, which may have left before there was something to tell. */
  #isBehind = false;
  #isStopped = false;

  constructor(db: Db, nodeId: string, sessions: SessionPool) {
    this.#db = db;
    this.#nodeId = nodeId;
    this.#sessions = sessions;
  }

  /** Resolves once the others can know of this node. Rejects when the database cannot be reached. */
  async start(): Promise<void> {
    await this.#beat();
    this.#sessions.onGrowth(() => {
      this.#isBehind = true;
      void this.#beatOnce();
    });
    this.#beating = runPeriodically(() => this.#beatOnce(), BEAT_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#beating?.stop();
    // A beat that hangs would write again what was taken away. It stays for the others, who find this node silent; so do the
    // sessions that could not be ended.
    if (this.#underWay !== undefined) return;
    const left = this.#leave().catch(() => undefined);
    await Promise.race([left, sleep(LEAVE_MAX_MS, undefined, { ref: false })]);
  }

  #nodes() {
    // What a failover takes back is written again by the next beat.
    return this.#db.collection<StoredNode>("nodes", { writeConcern: { w: 1 } });
  }

  /** Never at once with another; never rejects: the next beat tries again. */
  #beatOnce(): Promise<void> {
    this.#underWay ??= this.#beat()
      .catch(() => undefined)
      .finally(() => {
        this.#underWay = undefined;
        if (this.#isBehind) void this.#beatOnce();
      });
    return this.#underWay;
  }

  async #beat(): Promise<void> {
    this.#isBehind = false;
    if (this.#isStopped) return;
    const nodes = this.#nodes();
    const sessions = { $literal: this.#sessions.ids() };
    // Whether or not others took this node for dead meanwhile. Served by _id.
    await nodes.updateOne({ _id: this.#nodeId }, [{ $set: { sessions, seenAt: "$$NOW" } }], { upsert: true });
    // All that there are, by walking the collection.
    const others = await nodes.find({ _id: { $ne: this.#nodeId } }).toArray();
    await this.#endSilent(others);
    await this.#sessions.endDiscarded();
  }

  async #leave(): Promise<void> {
    await killSessions(this.#db.client, this.#sessions.ids());
    // Served by _id.
    await this.#nodes().deleteOne({ _id: this.#nodeId });
  }

  async #endSilent(others: readonly StoredNode[]): Promise<void> {
    const sightings = others.map(({ _id, seenAt }) => ({ nodeId: _id, seenAtMs: seenAt.getTime() }));
    const silent = new Set(this.#silentNodes.look(sightings, performance.now()));
    for (const { _id, seenAt, sessions } of others) {
      if (!silent.has(_id)) continue;
      await killSessions(this.#db.client, sessions);
      // Unless it was seen again. Served by _id.
      await this.#nodes().deleteOne({ _id, seenAt });
    }
  }
}
