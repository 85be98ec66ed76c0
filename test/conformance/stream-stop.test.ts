import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import type { StreamCall } from "../../src/lib/call.ts";
import { PROJECT_KEY } from "../harness/service.ts";
import { openStreamClients, type StreamClient, StreamFailure } from "../harness/stream-clients.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/* What becomes of open streams when the service stops. */

const TAIL = "/analytics/logs/tail";
const EXPORT = "/analytics/logs/export";
/** The stop is promised within 10 s, and closing what is behind the ports takes its part of them. */
const STOP_MAX_MS = 8_000;

let open: ReturnType<typeof openStreamClients> | undefined;
let folder: string | undefined;
afterEach(() => {
  open?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

/** How many of the handlers' iterators are open. */
let openIterators = 0;

async function* counted<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  openIterators++;
  try {
    yield* rows;
  } finally {
    openIterators--;
  }
}

/** Gives a row and waits then, as a tail does. */
async function* tail({ signal }: StreamCall) {
  yield { row: { requestId: "first" } };
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

async function* endless() {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    yield { row: { requestId: "x".repeat(50_000) } };
  }
}

async function begin(client: StreamClient, path: string): Promise<AsyncIterator<Record<string, unknown>>> {
  const method = methods.find((candidate) => candidate.path === path);
  if (method === undefined) throw new Error(`no ${path}`);
  const options = { credential: PROJECT_KEY, signal: new AbortController().signal };
  const { rows } = await client.open(method, { source: "api_traffic" }, options);
  const iterator = rows[Symbol.asyncIterator]();
  await iterator.next();
  return iterator;
}

/** How a stream ended: the reason of its fault, its code, or `end`. */
async function endOf(rows: AsyncIterator<unknown>): Promise<string> {
  try {
    for (;;) if ((await rows.next()).done) return "end";
  } catch (error) {
    return error instanceof StreamFailure ? (error.told.reason ?? error.told.code) : String(error);
  }
}

async function stopInTime(service: StreamService): Promise<void> {
  const start = performance.now();
  await service.stop();
  expect(performance.now() - start).toBeLessThan(STOP_MAX_MS);
  expect(openIterators).toBe(0);
}

function certificate(): { cert: string; key: string } {
  folder = mkdtempSync(join(tmpdir(), "keysvc-streams-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=keysvc", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...curve, "-out", cert, "-keyout", key, ...subject], { stdio: "ignore" });
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

describe.each([
  ["plain text", () => undefined],
  ["TLS", certificate],
])("over %s", (_title, makeTls) => {
  it("104 open tails, 8 by each protocol, are told that the service stops, and do not hold it up", async () => {
    const tls = makeTls();
    const service = await startStreamService({ logsTail: async (_request, call) => counted(tail(call)) }, tls);
    open = openStreamClients({ ...service, ca: tls?.cert });
    const tails = open.clients.flatMap((client) => Array.from({ length: 8 }, () => begin(client, TAIL)));
    const ends = (await Promise.all(tails)).map(endOf);
    expect(openIterators).toBe(104);
    await stopInTime(service);
    const told = await Promise.all(ends);
    for (const [index, { name }] of open.clients.entries()) {
      const expected = /^(NDJSON|CSV)/.test(name) ? "broken" : "STOPPING";
      expect(new Set(told.slice(index * 8, index * 8 + 8)), name).toEqual(new Set([expected]));
    }
    expect(service.logged).toEqual([]);
  }, 30_000);
});

it("exports that come to their end soon come to it", async () => {
  const stopping = Promise.withResolvers<void>();
  async function* twoRows() {
    yield { row: { requestId: "first" } };
    await stopping.promise;
    yield { row: { requestId: "second" } };
  }
  const service = await startStreamService({ logsExport: async () => counted(twoRows()) });
  open = openStreamClients(service);
  const ends = (await Promise.all(open.clients.map((client) => begin(client, EXPORT)))).map(endOf);
  const stopped = stopInTime(service);
  stopping.resolve();
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["end"]));
  await stopped;
}, 30_000);

it("exports that do not come to an end, with readers who do not read, do not hold it up", async () => {
  const service = await startStreamService({ logsExport: async () => counted(endless()) });
  open = openStreamClients(service);
  await Promise.all(open.clients.map((client) => begin(client, EXPORT)));
  await stopInTime(service);
}, 30_000);
