import { setTimeout as sleep } from "node:timers/promises";
import { type ClientSession, type MongoClient, MongoError, type ServerSessionId } from "mongodb";
import { wasUndoneByDatabase } from "./classify-error.ts";
import { killSessions } from "./kill-sessions.ts";

/** So many there are from the start, of which the other nodes know before they are used; they learn of more with the next beat. */
const FIRST_COUNT = 16;
/** More than these are not kept when nobody uses them. */
const FREE_MAX = 64;
/** After the database has ended a session, so long a statement may still arrive that was on its way when its connection broke. */
const LATE_MAX_MS = 500;
const CLOSE_MAX_MS = 1_000;

/**
 * Sessions that are used again and again, each by one transaction at a time. A transaction that nobody ends would keep locked
 * what it has written for a minute; so sessions with whose transaction something went wrong are ended in the database.
 */
export class SessionPool {
  readonly #client: MongoClient;
  /** Free, in use, or to be ended. */
  readonly #all = new Set<ClientSession>();
  readonly #free: ClientSession[] = [];
  /** To be ended; with the time at which the database has ended it once, on the clock of `performance.now()`. */
  readonly #discarded = new Map<ClientSession, number | undefined>();
  #isEnding = false;
  #onGrowth: () => void = () => undefined;

  constructor(client: MongoClient) {
    this.#client = client;
    while (this.#free.length < FIRST_COUNT) this.#free.push(this.#create());
  }

  take(): ClientSession {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const session = this.#create();
    this.#onGrowth();
    return session;
  }

  give(session: ClientSession): void {
    if (this.#free.length < FREE_MAX) this.#free.push(session);
    else this.#remove(session);
  }

  /** Of a session whose transaction failed: unless it is known to be undone, the session is not used again. */
  giveFailed(session: ClientSession, error: unknown): void {
    if (wasUndoneByDatabase(error) || wasUndoneByOwner(session, error)) {
      this.give(session);
      return;
    }
    this.#discarded.set(session, undefined);
    this.#endNew();
  }

  /** Ends what was discarded since the last time; what fails is left to whoever repeats it. */
  #endNew(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    // Together with the others that a broken connection comes to.
    setImmediate(() => {
      const ended = this.endDiscarded().then(
        () => true,
        () => false,
      );
      void ended.then((isDone) => {
        this.#isEnding = false;
        if (isDone && [...this.#discarded.values()].includes(undefined)) this.#endNew();
      });
    });
  }

  /**
   * Ends the sessions that are not used again in the database. To be repeated: they are gone once it has been done twice.
   * Rejects when it is not known whether it was done.
   */
  async endDiscarded(): Promise<void> {
    const sessions = [...this.#discarded.keys()];
    const sentMs = performance.now();
    await killSessions(this.#client, idsOf(sessions));
    for (const session of sessions) {
      // Two may be at it at once.
      if (!this.#discarded.has(session)) continue;
      const endedMs = this.#discarded.get(session);
      if (endedMs === undefined) this.#discarded.set(session, performance.now());
      else if (sentMs - endedMs >= LATE_MAX_MS) this.#remove(session);
    }
  }

  /** Of all sessions that may have a transaction. */
  ids(): ServerSessionId[] {
    return idsOf([...this.#all]);
  }

  /** Calls back when there is a session more than before, which is about to be used. */
  onGrowth(listener: () => void): void {
    this.#onGrowth = listener;
  }

  /** For a bounded time: one that is in a transaction asks the database to undo it. */
  async close(): Promise<void> {
    this.#free.length = 0;
    const ended = Promise.allSettled([...this.#all].map((session) => session.endSession()));
    await Promise.race([ended, sleep(CLOSE_MAX_MS, undefined, { ref: false })]);
  }

  #create(): ClientSession {
    const session = this.#client.startSession();
    this.#all.add(session);
    return session;
  }

  #remove(session: ClientSession): void {
    this.#all.delete(session);
    // The driver uses ids again, and another ending of this one may be on its way.
    if (this.#discarded.delete(session) && session.serverSession !== null) session.serverSession.isDirty = true;
    session.endSession().catch(() => undefined);
  }
}

/**
 * Whether whoever gave up a transaction has undone it too: the driver does not tell when that failed, but remembers when the
 * connection broke. If it is not undone after all, the next transaction of the session undoes it.
 */
function wasUndoneByOwner({ serverSession }: ClientSession, error: unknown): boolean {
  return !(error instanceof MongoError) && serverSession?.isDirty === false;
}

function idsOf(sessions: readonly ClientSession[]): ServerSessionId[] {
  return sessions.flatMap(({ id }) => id ?? []);
}
