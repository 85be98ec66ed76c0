import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Service } from "../../../test/vectors/middleware/case.ts";

/** A service that answers as a case says, and remembers what it was asked. */
export interface FakeService {
  url: string;
  /** Bodies of /key/validate. */
  validations: unknown[];
  /** Events of /ingest. */
  events: Record<string, unknown>[];
  /** Bodies of /ingest as they came. */
  ingested: string[];
  /** Listens again, where it was refused before. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one. Without a `service` it must not be asked, and answers 500. */
export async function startFakeService(service?: Service): Promise<FakeService> {
  const fake: Pick<FakeService, "validations" | "events" | "ingested"> = { validations: [], events: [], ingested: [] };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (request.url === "/ingest") {
      const { events } = JSON.parse(body);
      fake.ingested.push(body);
      fake.events.push(...events);
      return answer(response, 200, JSON.stringify({ accepted: events.length, duplicates: 0, rejected: [] }));
    }
    fake.validations.push(JSON.parse(body));
    answerValidation(request, response, service);
  });
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const port = await listenApart(server);
  const isRefused = service !== undefined && "failure" in service && service.failure === "refused";
  if (isRefused) await stop();
  return {
    ...fake,
    url: `http://127.0.0.1:${port}`,
    recover: async () => {
      if (!server.listening) await listen(server, port);
    },
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      await stop();
    },
  };
}

/** Listens on a port that the system gives nobody by itself: while this server refuses, no other answers there. */
async function listenApart(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const isListening = await listen(server, port).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EADDRINUSE") throw error;
        return false;
      },
    );
    if (isListening) return port;
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function answerValidation(request: IncomingMessage, response: ServerResponse, service: Service | undefined): void {
  if (service === undefined) answer(response, 500, "");
  else if ("verdict" in service) answer(response, 200, JSON.stringify(service.verdict));
  else if ("status" in service) answer(response, service.status, service.body ?? "", service.headers);
  else if (service.failure === "reset") request.socket.resetAndDestroy();
}

function answer(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
