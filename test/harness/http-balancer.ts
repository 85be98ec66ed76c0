import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { runPeriodically } from "../../src/lib/periodic.ts";

/**
 * A balancer as small as they come: each call goes to the next node whose /readyz said 200 when it was last asked. It knows
 * nothing of what is said, and tries nothing again: what breaks is 502.
 */
export interface HttpBalancer {
  url: string;
  /** How many calls each node was sent, by its URL. */
  sent: ReadonlyMap<string, number>;
  /** Resolves when the balancer holds a node ready, or not ready any more. */
  until(url: string, isReady: boolean): Promise<void>;
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 100;
const POLL_MS = 10;

/** @param urls the nodes at this moment */
export async function startHttpBalancer(urls: () => readonly string[]): Promise<HttpBalancer> {
  const agent = new Agent({ keepAlive: true });
  const sent = new Map<string, number>();
  let ready: string[] = [];
  let turn = 0;

  const check = async () => {
    const checked = await Promise.all(urls().map(async (url) => ({ url, isReady: await isReady(url) })));
    ready = checked.filter((node) => node.isReady).map(({ url }) => url);
  };
  const forward = (incoming: IncomingMessage, answer: ServerResponse) => {
    const url = ready[turn++ % ready.length];
    if (url === undefined) return void answer.writeHead(503).end('{"type": "no node is ready"}');
    sent.set(url, (sent.get(url) ?? 0) + 1);
    const { method, headers, url: path } = incoming;
    const outgoing = request(`${url}${path}`, { method, headers, agent }, (from) => {
      const { connection: _ofTheNode, "keep-alive": _too, ...kept } = from.headers;
      from.pipe(answer.writeHead(from.statusCode ?? 502, kept));
    });
    outgoing.on("error", (error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end(JSON.stringify({ type: error.message }));
    });
    incoming.pipe(outgoing);
  };
  await check();
  const checking = runPeriodically(check, CHECK_INTERVAL_MS);
  const server = createServer(forward).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    async until(url, isWanted) {
      while (ready.includes(url) !== isWanted) await sleep(POLL_MS);
    },
    async close() {
      await checking.stop();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

/** Asked on a connection of its own, as balancers do. */
async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { headers: { connection: "close" } });
    return answer.status === 200;
  } catch {
    return false;
  }
}
