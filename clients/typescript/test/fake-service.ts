import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const isRefused = service !== undefined && "failure" in service && service.failure === "refused";
  if (isRefused) await stop();
  return {
    ...fake,
    url: `http://127.0.0.1:${port}`,
    recover: async () => {
      if (!server.listening) await listen(port);
    },
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      await stop();
    },
  };
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
