import type { Http2Server, IncomingHttpHeaders } from "node:http2";

const GRPC_TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
/** The longest that a timer of Node waits: 24.8 days. A longer time it takes for none, and the call would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Removes deadlines that no timer can wait for. Their callers keep the time themselves. */
export function dropLongTimeouts(headers: IncomingHttpHeaders): void {
  const grpcMs = grpcTimeoutMs(headers["grpc-timeout"]) ?? 0;
  if (grpcMs > TIMER_MAX_MS) delete headers["grpc-timeout"];
  if (Number(headers["connect-timeout-ms"]) > TIMER_MAX_MS) delete headers["connect-timeout-ms"];
}

/** The same before grpc-js reads them, which also finds a deadline within a header that is none: a second in `-1S`. */
export function rightGrpcTimeouts(server: Http2Server): void {
  server.prependListener("stream", (_stream, headers) => {
    const timeout = headers["grpc-timeout"];
    if (timeout === undefined) return;
    // Where it finds none, it refuses the call by itself, and the handler is not called.
    if (grpcTimeoutMs(timeout) === undefined) headers["grpc-timeout"] = "none";
    else dropLongTimeouts(headers);
  });
}

function grpcTimeoutMs(timeout: unknown): number | undefined {
  const [, count, unit = ""] = GRPC_TIMEOUT.exec(String(timeout)) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}
