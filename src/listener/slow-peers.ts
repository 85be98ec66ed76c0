import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { Timeouts } from "./timeouts.ts";

/** What a peer has to take of what was written for it. */
interface Backlog {
  bytes: number;
  /** Since when it has taken nothing. */
  sinceMs: number;
  cut: () => void;
}

interface Session {
  streams: number;
  /** Since when it has no stream. */
  idleSinceMs: number;
}

/**
 * Ends what peers hold open by being slow, where Node has no timeout of its own: answers that nobody takes, streams of HTTP/2
 * whose request does not arrive, sessions without streams. It looks at all of them now and then, which costs a call nothing.
 */
export class SlowPeers {
  readonly #timeouts: Timeouts;
  readonly #backlogs = new Map<Writable, Backlog>();
  /** Since when each waits for its request. */
  readonly #streams = new Map<ServerHttp2Stream, number>();
  readonly #sessions = new Map<ServerHttp2Session, Session>();
  readonly #timer: NodeJS.Timeout;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#timer = setInterval(() => this.#check(performance.now()), timeouts.checkMs);
    this.#timer.unref();
  }

  /**
   * Follows what is written to a peer, until it closes.
   *
   * @param cut closes it
   */
  addWritable(writable: Writable, cut: () => void): void {
    this.#backlogs.set(writable, { bytes: 0, sinceMs: performance.now(), cut });
    writable.once("close", () => this.#backlogs.delete(writable));
  }

  /** Follows a session and its streams, until it closes. */
  addSession(session: ServerHttp2Session): void {
    const entry = { streams: 0, idleSinceMs: performance.now() };
    this.#sessions.set(session, entry);
    session.once("close", () => this.#sessions.delete(session));
    session.on("stream", (stream) => {
      entry.streams++;
      this.#streams.set(stream, performance.now());
      this.addWritable(stream, () => stream.close(constants.NGHTTP2_CANCEL));
      stream.once("close", () => {
        this.#streams.delete(stream);
        if (--entry.streams === 0) entry.idleSinceMs = performance.now();
      });
    });
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  #check(nowMs: number): void {
    this.#cutBacklogs(nowMs);
    for (const [stream, sinceMs] of this.#streams) {
      // Its request is there as a whole, and what it waits for is ours to give.
      if (stream.readableEnded) this.#streams.delete(stream);
      else if (nowMs - sinceMs > this.#timeouts.requestMs) stream.close(constants.NGHTTP2_CANCEL);
    }
    for (const [session, { streams, idleSinceMs }] of this.#sessions) {
      if (streams > 0 || nowMs - idleSinceMs < this.#timeouts.idleMs) continue;
      // A peer that does not close its side either is cut at the next look.
      if (session.closed) session.destroy();
      else session.close();
    }
  }

  #cutBacklogs(nowMs: number): void {
    for (const [writable, backlog] of this.#backlogs) {
      const bytes = writable.writableLength;
      if (bytes === 0 || bytes !== backlog.bytes) {
        backlog.bytes = bytes;
        backlog.sinceMs = nowMs;
      } else if (nowMs - backlog.sinceMs > this.#timeouts.answerMs) backlog.cut();
    }
  }
}
