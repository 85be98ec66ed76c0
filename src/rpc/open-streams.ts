import { Fault } from "../lib/fault.ts";
import type { MessageStream } from "./message-stream.ts";

interface OpenStream {
  cutting: AbortController;
  follows: boolean;
}

export interface OpeningOptions {
  /** Is aborted when the caller leaves. */
  left: AbortSignal;
  /** Whether the stream has no end of its own. */
  follows: boolean;
}

/** The streams that are open, or being opened: each is cut when its caller leaves, and all are when the service stops. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  #isStopping = false;

  /**
   * Opens a stream.
   *
   * @param begin makes it; a fault of its own when it takes too long. Throws what that throws, and STOPPING
   */
  async open(
    begin: (cutting: AbortController) => Promise<MessageStream>,
    { left, follows }: OpeningOptions,
  ): Promise<MessageStream> {
    if (this.#isStopping) throw stopping();
    const cutting = new AbortController();
    const entry = { cutting, follows };
    this.#streams.add(entry);
    const leave = () => cutting.abort();
    if (left.aborted) leave();
    else left.addEventListener("abort", leave, { once: true });
    const forget = () => {
      left.removeEventListener("abort", leave);
      this.#streams.delete(entry);
    };
    try {
      const stream = await begin(cutting);
      stream.closed.then(forget);
      return stream;
    } catch (error) {
      // It may have been given up: what comes of it is cut.
      cutting.abort();
      forget();
      throw error;
    }
  }

  /** Opens no more streams, ends at once those that follow, which have no end of their own, and all others after a grace. */
  stop(graceMs: number): void {
    this.#isStopping = true;
    for (const { cutting, follows } of this.#streams) if (follows) cutting.abort(stopping());
    const cutAll = () => {
      for (const { cutting } of this.#streams) cutting.abort(stopping());
    };
    setTimeout(cutAll, graceMs).unref();
  }
}

function stopping(): Fault {
  return new Fault("STOPPING", "the service is stopping; call again", { retryAfterSeconds: 1 });
}
