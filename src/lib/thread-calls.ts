import { type ResourceLimits, Worker } from "node:worker_threads";
import { databaseUnavailable, Fault } from "./fault.ts";

/** A fault on its way between threads. */
type TransferredFault = Pick<Fault, "reason" | "detail" | "retryAfterSeconds">;

interface Asked<Request> {
  id: number;
  request: Request;
}

/** An error is a text for the log; `fault` is what the caller is told of it, if not that it is internal. */
type Answered<Answer> =
  | { id: number; answer: Answer }
  | { id: number; error: string; fault: TransferredFault | undefined };

export interface ThreadOptions {
  /** The file that the thread runs; it calls answerCalls(). */
  url: URL;
  /** Of the thread, for whoever looks at the process. */
  name: string;
  /** What the file is started with. */
  workerData: unknown;
  resourceLimits?: ResourceLimits;
}

interface Waiting<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** A thread that answers requests: started when it is first needed, and again after it ended. */
export class ThreadCalls<Request, Answer> {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** The answer to a request. Rejects with the Fault that the thread threw, or an internal error. */
  ask(request: Request): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker ??= this.#start();
      const asked: Asked<Request> = { id, request };
      this.#worker.postMessage(asked);
    });
  }

  /** Ends the thread; whoever waits is told that the database is out of reach. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failAll(databaseUnavailable());
  }

  #start(): Worker {
    const { url, ...options } = this.#options;
    const worker = new Worker(url, options);
    worker.on("message", (answered: Answered<Answer>) => this.#settle(answered));
    // Such as running out of memory: whoever waits is told, and the next call starts another.
    worker.on("error", (error) => this.#failAll(new Error(`the thread ${options.name} failed`, { cause: error })));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(new Error(`the thread ${options.name} ended`));
    });
    // It does not keep the process: whoever stops it closes this.
    worker.unref();
    return worker;
  }

  #settle(answered: Answered<Answer>): void {
    const waiting = this.#waiting.get(answered.id);
    this.#waiting.delete(answered.id);
    if ("answer" in answered) waiting?.resolve(answered.answer);
    else waiting?.reject(toError(answered));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Where requests come from, and answers go: the parent's port, of which this is all that is needed. */
interface Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

/**
 * Answers the calls of a ThreadCalls in its thread.
 *
 * @param classifyError makes a fault of an error that a library threw; undefined: it is internal
 */
export function answerCalls<Request, Answer>(
  port: Port,
  answer: (request: Request) => Promise<Answer>,
  classifyError: (error: unknown) => Fault | undefined,
): void {
  port.on("message", (message) => {
    // Only ThreadCalls sends.
    const { id, request } = message as Asked<Request>;
    const toAnswered = (error: unknown): Answered<Answer> => {
      const fault = error instanceof Fault ? error : classifyError(error);
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const { reason, detail, retryAfterSeconds } = fault ?? {};
      return { id, error: text, fault: reason && detail ? { reason, detail, retryAfterSeconds } : undefined };
    };
    answer(request)
      .then((found): Answered<Answer> => ({ id, answer: found }), toAnswered)
      .then((answered) => port.postMessage(answered));
  });
}

function toError({ error, fault }: Extract<Answered<unknown>, { error: string }>): Error {
  if (fault === undefined) return new Error(error);
  const { reason, detail, retryAfterSeconds } = fault;
  return new Fault(reason, detail, { ...(retryAfterSeconds && { retryAfterSeconds }), cause: error });
}
