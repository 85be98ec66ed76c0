import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { freePort } from "../../src/mongod/port.ts";
import type { TestService } from "./service.ts";

/** Lets a service reach receivers of this machine. */
export const LOCAL_RECEIVERS = { KEYSVC_WEBHOOK_ALLOW: "127.0.0.0/8,::1" };

/** An event as it arrived. */
export interface Received {
  path: string;
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
  text: string;
  headers: Record<string, string>;
  atMs: number;
}

/** Answers an event: with a status, or itself. */
export type Behaviour = (event: Received, response: ServerResponse, request: IncomingMessage) => number | undefined;

export interface Receiver {
  url: string;
  port: number;
  /** Everything that arrived, in the order in which it did. */
  received: Received[];
  behave(behaviour: Behaviour): void;
  /** Resolves once that many arrived that a test looks for. Rejects after a while. */
  until(count: number, matches?: (event: Received) => boolean, timeoutMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

const UNTIL_TIMEOUT_MS = 25_000;
const POLL_MS = 20;

/** A receiver of webhooks on 127.0.0.1, which takes everything unless told otherwise. @param port undefined: any */
export async function startReceiver(port?: number): Promise<Receiver> {
  const received: Received[] = [];
  let behave: Behaviour = () => 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const event = readEvent(request, Buffer.concat(chunks).toString());
      received.push(event);
      const status = behave(event, response, request);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  // While it is closed, no other answers in its place.
  const listening = port ?? (await freePort());
  await new Promise<void>((resolve) => server.listen(listening, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${listening}/hook`,
    port: listening,
    received,
    behave(behaviour) {
      behave = behaviour;
    },
    async until(count, matches = () => true, timeoutMs = UNTIL_TIMEOUT_MS) {
      const endMs = performance.now() + timeoutMs;
      for (;;) {
        const found = received.filter(matches);
        if (found.length >= count) return found;
        if (performance.now() > endMs) {
          throw new Error(`${found.length} of ${count} events arrived: ${received.map(({ type }) => type).join(", ")}`);
        }
        await sleep(POLL_MS);
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readEvent(request: IncomingMessage, text: string): Received {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = text === "" ? {} : JSON.parse(text);
  const { url = "", headers: raw } = request;
  return { path: url, id: String(raw["webhook-id"]), type: body.type, body, text, headers, atMs: Date.now() };
}

/** Waits until all events of a project are delivered or given up. @returns the last of them */
export async function untilTold(service: Pick<TestService, "ok">, projectKey?: string): Promise<string> {
  const list = (request: object) => service.ok("/webhook/deliveries", request, projectKey);
  while ((await list({ status: "pending" })).deliveries.length > 0) await sleep(POLL_MS);
  return (await list({ pageSize: 1 })).deliveries[0].eventId;
}

/** Whether the public library takes an event for genuine. */
export function isGenuine({ text, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
