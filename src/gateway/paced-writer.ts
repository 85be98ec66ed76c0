import type { Writable } from "node:stream";

/** Rows that come together go out together, in pieces of about this size. */
const PIECE_CHARS = 16_384;

/**
 * Writes text at the pace of its reader, and holds no more of it than a piece and what the socket buffers. Between two
 * pieces the event loop has its turn, so that a fast stream leaves room for all else.
 */
export class PacedWriter {
  readonly #out: Writable;
  #text = "";
  #turn: NodeJS.Immediate | undefined;
  #isFull = false;
  /** Of who waits until it is not. */
  #room: PromiseWithResolvers<void> | undefined;

  /** @param out what is closed, also before its end, says so with `close` */
  constructor(out: Writable) {
    this.#out = out;
    out.once("close", () => this.wake());
  }

  /** Whether the reader is behind: what was written has not gone out. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Writes text, at the end of this turn of the event loop at the latest; resolves when there is room for more. */
  write(text: string): Promise<void> | undefined {
    this.#text += text;
    if (this.#text.length < PIECE_CHARS) {
      this.#turn ??= setImmediate(() => this.#flush());
      return this.#room?.promise;
    }
    this.#flush();
    return this.#room?.promise ?? new Promise((resolve) => setImmediate(resolve));
  }

  /** Writes what is left, and ends. */
  end(): void {
    this.#flush();
    this.#out.end();
  }

  /** Lets go who waits for room, without any: the reader has left, or is to be told how it ends. */
  wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #flush(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const text = this.#text;
    this.#text = "";
    if (text === "" || this.#out.destroyed || this.#out.write(text) || this.#isFull) return;
    this.#isFull = true;
    this.#room = Promise.withResolvers();
    this.#out.once("drain", () => {
      this.#isFull = false;
      this.wake();
    });
  }
}
