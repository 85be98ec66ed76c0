import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SECURITY_HEADERS } from "../lib/security-headers.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsPort {
  /** The port that was bound. */
  port: number;
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Serves GET /metrics and nothing else, without a credential: for a port that only the monitoring reaches. */
export async function listenMetricsPort(
  metrics: Pick<Metrics, "text" | "contentType">,
  { host, port }: { host: string; port: number },
): Promise<MetricsPort> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const isServed = request.url === "/metrics";
    if (!isServed || (request.method !== "GET" && request.method !== "HEAD")) {
      const status = isServed ? 405 : 404;
      response
        .writeHead(status, { "content-type": "text/plain", ...(isServed && { allow: "GET, HEAD" }) })
        .end("GET /metrics\n");
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => resolve(void server.off("error", reject)));
  });
  // A TCP server that listens has an address with a port.
  return { port: (server.address() as AddressInfo).port, stop: () => close(server) };
}

function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Whoever scrapes asks again.
  server.closeAllConnections();
  return closed;
}
