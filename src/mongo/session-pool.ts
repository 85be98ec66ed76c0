import type { ClientSession, MongoClient, ServerSessionId } from "mongodb";
import { wasUndoneByDatabase } from "./classify-error.ts";
import { killSessions } from "./kill-sessions.ts";

/** So many there are from the start, so that the other nodes know of them before they are used. */
const FIRST_COUNT = 16;
/** More than these are not kept when nobody uses them. */
const FREE_MAX = 64;
/** After the database has ended a session, so long a statement may still arrive that was on its way when its connection broke. */
const LATE_MAX_MS = 500;

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

  /** Of a session whose transaction failed: unless the database itself has undone it, the session is not used again. */
  giveFailed(session: ClientSession, error: unknown): void {
    if (wasUndoneByDatabase(error)) {
      this.give(session);
      return;
    }
    this.#discarded.set(session, undefined);
    if (this.#isEnding) return;
    this.#isEnding = true;
    // Together with the others that a broken connection comes to; what fails now is left to whoever repeats it.
    setImmediate(() => {
      const ended = this.endDiscarded().catch(() => undefined);
      void ended.finally(() => {
        this.#isEnding = false;
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
      // Two may be at it at once, and the driver uses ids again.
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

  async close(): Promise<void> {
    this.#free.length = 0;
    await Promise.all([...this.#all].map((session) => session.endSession()));
  }

  #create(): ClientSession {
    const session = this.#client.startSession();
    this.#all.add(session);
    return session;
  }

  #remove(session: ClientSession): void {
    this.#all.delete(session);
    this.#discarded.delete(session);
    session.endSession().catch(() => undefined);
  }
}

function idsOf(sessions: readonly ClientSession[]): ServerSessionId[] {
  return sessions.flatMap(({ id }) => id ?? []);
}
