import type { Binary } from "mongodb";
import { newSessionId } from "./numbered-command.ts";

/** Sessions in which writes are numbered, each by one write at a time. One whose write failed is not used again. */
export class NumberedSessions {
  readonly #free: { id: Binary; number: number }[] = [];

  /** A write under a number of its own: when it failed, it may be repeated, and applies once all the same. */
  prepare<Result>(write: (session: Binary, txnNumber: number) => Promise<Result>): () => Promise<Result> {
    const session = this.#free.pop() ?? { id: newSessionId(), number: 0 };
    session.number++;
    return async () => {
      const result = await write(session.id, session.number);
      this.#free.push(session);
      return result;
    };
  }
}
