import type { DescMessage, Message, MessageInitShape } from "@bufbuild/protobuf";
import { Fault } from "../lib/fault.ts";

/** What a handler gives for a message. */
export type MessageItem = MessageInitShape<DescMessage>;

export interface MessageStreamOptions {
  source: AsyncIterable<MessageItem>;
  /** Makes a message of what the handler gave, when it is about to be handed out. */
  toMessage: (item: MessageItem) => Message | Promise<Message>;
  /** Makes a fault of what was thrown. */
  toFault: (error: unknown) => Fault;
  /** Cuts the stream when it is aborted. A Fault as the reason is told to the caller. */
  cutting: AbortController;
}

type Result = IteratorResult<Message, undefined>;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The messages of one call, on their way from the handler to the caller. They are asked for one at a time, when the protocol
 * has room for it. The stream can be cut at any time, also while a message is waited for or nobody asks for one: then the
 * handler's iterator is closed, and whoever waits is told at once.
 */
export class MessageStream implements AsyncIterableIterator<Message, undefined> {
  /** Resolves, and never rejects, when the handler's iterator has come to its end and holds nothing any more. */
  readonly closed: Promise<void>;
  readonly #options: MessageStreamOptions;
  readonly #source: AsyncIterator<MessageItem>;
  readonly #onClosed: () => void;
  #waiting: PromiseWithResolvers<Result> | undefined;
  /** What the next who asks is told, once. */
  #fault: Fault | undefined;
  #isOver = false;

  constructor(options: MessageStreamOptions) {
    this.#options = options;
    this.#source = options.source[Symbol.asyncIterator]();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#onClosed = resolve;
    const { signal } = options.cutting;
    if (signal.aborted) this.#cut();
    else signal.addEventListener("abort", () => this.#cut(), { once: true });
  }

  /** Aborted when the stream is cut: who waits for the caller's room is to wake, and to ask for the next message. */
  get signal(): AbortSignal {
    return this.#options.cutting.signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next message. Throws nothing but faults, and is done after one. Not to be called again while it is pending. */
  next(): Promise<Result> {
    if (this.#isOver) return this.#last();
    const waiting = Promise.withResolvers<Result>();
    this.#waiting = waiting;
    // Where it was cut meanwhile, who waited has been told, and nobody is told what comes after.
    this.#read().then(
      (result) => {
        if (this.#stopWaiting(waiting)) waiting.resolve(result);
      },
      (error: unknown) => {
        if (!this.#stopWaiting(waiting)) return;
        this.#close();
        waiting.reject(this.#options.toFault(error));
      },
    );
    return waiting.promise;
  }

  /** Ends the stream: nobody reads on. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#options.cutting.abort();
    return DONE;
  }

  async #read(): Promise<Result> {
    const result = await this.#source.next();
    if (!result.done) return { done: false, value: await this.#options.toMessage(result.value) };
    this.#isOver = true;
    this.#onClosed();
    return DONE;
  }

  #stopWaiting(waiting: PromiseWithResolvers<Result>): boolean {
    const isWaiting = this.#waiting === waiting;
    if (isWaiting) this.#waiting = undefined;
    return isWaiting;
  }

  #cut(): void {
    if (this.#isOver) return;
    const { reason } = this.signal;
    this.#fault = reason instanceof Fault ? reason : undefined;
    this.#close();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#last().then(waiting.resolve, waiting.reject);
  }

  #last(): Promise<IteratorReturnResult<undefined>> {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault === undefined ? Promise.resolve(DONE) : Promise.reject(fault);
  }

  /** A generator that waits for something is closed when that has come. */
  #close(): void {
    this.#isOver = true;
    const close = async () => this.#source.return?.();
    // The stream is over; what goes wrong now is nobody's.
    close().then(this.#onClosed, this.#onClosed);
  }
}
