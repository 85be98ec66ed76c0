import type { ClientSession, MongoClient, ServerSessionId } from "mongodb";

/** Sessions that are used again and again, each by one transaction at a time. */
export class SessionPool {
  readonly #client: MongoClient;
  readonly #all = new Set<ClientSession>();
  readonly #free: ClientSession[] = [];

  constructor(client: MongoClient) {
    this.#client = client;
  }

  take(): ClientSession {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const session = this.#client.startSession();
    this.#all.add(session);
    return session;
  }

  give(session: ClientSession): void {
    this.#free.push(session);
  }

  /** Of a session whose last transaction failed: the driver and the database may not agree on where it is. */
  discard(session: ClientSession): void {
    this.#all.delete(session);
    session.endSession().catch(() => undefined);
  }

  /** Of all sessions, in use or not. */
  ids(): ServerSessionId[] {
    return [...this.#all].flatMap(({ id }) => id ?? []);
  }

  async close(): Promise<void> {
    this.#free.length = 0;
    await Promise.all([...this.#all].map((session) => session.endSession()));
  }
}
