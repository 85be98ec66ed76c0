import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePort } from "../../src/mongod/port.ts";
import type { Service } from "../vectors/middleware/case.ts";

/** A call that the fake got. */
export interface FakeCall {
  path: string;
  authorization: string | undefined;
  body: string;
}

/** What stands in for the service in tests of its clients: it says what it is told to, and notes what it gets. */
export interface FakeService {
  /** Its base URL; the port stays the same while it is refused. */
  url: string;
  /** Every call since it began or was last forgotten, in order. */
  calls: FakeCall[];
  /** What /key/validate does from now on; undefined answers 500, because nobody should ask. */
  setService(service: Service | undefined): Promise<void>;
  /** The bodies of /key/validate. */
  validations(): unknown[];
  /** The events of all calls of /ingest. */
  events(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** Starts one on 127.0.0.1. */
export async function startFakeService(): Promise<FakeService> {
  const calls: FakeCall[] = [];
  let service: Service | undefined;
  const server = createServer((request, response) => {
    // A caller that leaves is no fault of the fake's.
    answer(request, response, calls, () => service).catch(() => request.socket.destroy());
  });
  // While it refuses, no other answers in its place.
  const port = await freePort();
  await listen(server, port);
  const bodies = (path: string) => calls.filter((call) => call.path === path).map(({ body }) => JSON.parse(body));

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async setService(next) {
      service = next;
      const refused = next !== undefined && "failure" in next && next.failure === "refused";
      if (refused && server.listening) await stop(server);
      if (!refused && !server.listening) await listen(server, port);
    },
    validations: () => bodies("/key/validate"),
    events: () => bodies("/ingest").flatMap(({ events }) => events),
    close: () => stop(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  calls: FakeCall[],
  service: () => Service | undefined,
): Promise<void> {
  const body = await readText(request);
  const { url: path = "" } = request;
  calls.push({ path, authorization: request.headers.authorization, body });
  if (path === "/ingest") {
    const accepted = JSON.parse(body).events.length;
    send(response, 200, { accepted, duplicates: 0, rejected: [] });
  } else if (path === "/key/validate") validate(request, response, service());
  else send(response, 404, { title: "It does not exist", status: 404, code: "not_found" });
}

function validate(request: IncomingMessage, response: ServerResponse, service: Service | undefined): void {
  if (service === undefined) send(response, 500, { title: "Nobody should ask", status: 500, code: "internal" });
  else if ("verdict" in service) send(response, 200, service.verdict);
  else if ("status" in service) response.writeHead(service.status, service.headers).end(service.body);
  // "timeout" leaves the caller waiting; a port that refuses gets here only with a call that came before.
  else if (service.failure !== "timeout") request.socket.resetAndDestroy();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  if (!server.listening) return;
  server.close();
  await once(server, "close");
}
