/** How long a peer may take over each thing, in milliseconds. Whoever takes longer loses the stream or the connection. */
export interface Timeouts {
  /** To end the handshake of TLS. */
  handshakeMs: number;
  /** From connecting, or the first byte of a request, to the end of its headers. */
  headersMs: number;
  /** From the first byte of a request to its last. */
  requestMs: number;
  /** To take something of an answer that waits to be sent. */
  answerMs: number;
  /** Between two calls on a connection. */
  idleMs: number;
  /** To close its side, once we have closed ours. */
  closeMs: number;
  /** How often it is looked at: a timeout may come so much later. */
  checkMs: number;
}

/** An idle connection stays for longer than the minute after which most proxies close theirs, so that they are first. */
export const TIMEOUTS: Timeouts = {
  handshakeMs: 10_000,
  headersMs: 20_000,
  requestMs: 60_000,
  answerMs: 60_000,
  idleMs: 75_000,
  closeMs: 5_000,
  checkMs: 5_000,
};

/** Connections that a port holds; beyond them, one without a call gives way to a new one. */
export const CONNECTIONS_MAX = 10_000;
/** Calls under way on one connection of HTTP/2; a client waits with more. */
export const STREAMS_MAX = 1_000;
