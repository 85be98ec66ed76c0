import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type GatewayMethod, methods } from "../../gen/gateway.js";
import type { StreamCall } from "../../src/lib/call.ts";
import { Fault } from "../../src/lib/fault.ts";
import { PROJECT_KEY } from "../harness/service.ts";
import { openStreamClients, type StreamClient, StreamFailure, type Told } from "../harness/stream-clients.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/*
 * What holds for streams in every protocol, by a service whose rows the tests make: the ports, the gateway, Connect and
 * grpc-js are those of the service itself.
 */

const EXPORT = methodOf("/analytics/logs/export");
const TAIL = methodOf("/analytics/logs/tail");
const REQUEST = { source: "api_traffic" };

type Rows = AsyncGenerator<{ row: { requestId: string; endpoint?: string } }>;

/** What the handlers do in a test, and what became of them. */
let accept: (call: StreamCall) => Promise<void>;
let produce: (call: StreamCall) => Rows;
let ended: Promise<void>;
let onEnded: () => void;

let service: StreamService;
let open: ReturnType<typeof openStreamClients>;
beforeAll(async () => {
  const handle = async (_request: unknown, call: StreamCall) => {
    await accept(call);
    return watched(produce(call));
  };
  service = await startStreamService({ logsExport: handle, logsTail: handle });
  open = openStreamClients(service);
});
afterAll(async () => {
  open.close();
  await service.stop();
});
beforeEach(() => {
  accept = async () => undefined;
  ({ promise: ended, resolve: onEnded } = Promise.withResolvers<void>());
  service.logged.length = 0;
});
// Connect prints what it takes for a failure, and nothing that a caller does is one.
const printed = vi.spyOn(console, "error");
afterEach(() => expect(printed).not.toHaveBeenCalled());

async function* watched(rows: Rows): Rows {
  try {
    yield* rows;
  } finally {
    onEnded();
  }
}

async function* numbered(count: number, endpoint = "/a"): Rows {
  for (let index = 0; index < count; index++) {
    // Now and then, as from a database.
    if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield { row: { requestId: String(index), endpoint } };
  }
}

/** Waits as a tail does. */
const forever = ({ signal }: StreamCall) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

function methodOf(path: string): GatewayMethod {
  const found = methods.find((method) => method.path === path);
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
}

interface Opened {
  requestId: string | null;
  rows: AsyncIterator<Record<string, unknown>>;
  leave: () => void;
}

async function begin(client: StreamClient, method = EXPORT, request: object = REQUEST): Promise<Opened> {
  const leaving = new AbortController();
  const options = { credential: PROJECT_KEY, signal: leaving.signal };
  const { requestId, rows } = await client.open(method, { ...request }, options);
  return { requestId, rows: rows[Symbol.asyncIterator](), leave: () => leaving.abort() };
}

/** Reads to the end; how many rows came in order, and how it ended if not well. */
async function readAll(client: StreamClient, request: object = REQUEST): Promise<{ count: number; told?: Told }> {
  let count = 0;
  try {
    const { rows } = await begin(client, EXPORT, request);
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      if (next.value.requestId !== String(count)) throw new Error(`row ${count} is ${next.value.requestId}`);
      count++;
    }
    return { count };
  } catch (error) {
    if (!(error instanceof StreamFailure)) throw error;
    return { count, told: error.told };
  }
}

const CLIENTS = openStreamClients({ url: "http://127.0.0.1:1", grpcAddress: "127.0.0.1:1" });
CLIENTS.close();
const NAMES = CLIENTS.clients.map(({ name }) => name);

describe.each(NAMES)("%s", (name) => {
  let client: StreamClient;
  const isBrokenOff = /^(NDJSON|CSV)/.test(name);
  beforeEach(() => {
    client = open.clients.find((candidate) => candidate.name === name) as StreamClient;
  });

  it("gives 100,000 rows, each once and in order", async () => {
    produce = () => numbered(100_000);
    expect(await readAll(client)).toEqual({ count: 100_000 });
    await ended;
  }, 120_000);

  it("gives no rows where there are none", async () => {
    produce = () => numbered(0);
    expect(await readAll(client)).toEqual({ count: 0 });
  });

  it("says that the call is accepted before there is a row, and has the id of the call then", async () => {
    const first = Promise.withResolvers<void>();
    produce = async function* () {
      await first.promise;
      yield* numbered(1);
    };
    const { requestId, rows, leave } = await begin(client, TAIL);
    expect(requestId).toMatch(/^req_\w+$/);
    first.resolve();
    expect(await rows.next()).toMatchObject({ value: { requestId: "0" } });
    leave();
  });

  it("gives each row when it comes", async () => {
    let next = Promise.withResolvers<void>();
    produce = async function* () {
      for (let index = 0; ; index++) {
        await next.promise;
        next = Promise.withResolvers();
        yield { row: { requestId: String(index) } };
      }
    };
    const { rows, leave } = await begin(client, TAIL);
    for (let index = 0; index < 5; index++) {
      next.resolve();
      expect(await rows.next()).toMatchObject({ value: { requestId: String(index) } });
    }
    leave();
  });

  it("makes the producer wait while the reader does not read", async () => {
    let produced = 0;
    produce = async function* () {
      // Nothing that compression makes small.
      for await (const row of numbered(100_000, randomBytes(48_000).toString("base64"))) {
        produced++;
        yield row;
      }
    };
    const { rows, leave } = await begin(client);
    await rows.next();
    let before = -1;
    while (before !== produced) {
      before = produced;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    // Of 100,000 rows of 64 kB. Nearly all of it is what the kernel buffers for the two sockets of HTTP/1.1.
    expect(produced).toBeLessThan(1_000);
    leave();
    await ended;
  }, 120_000);

  it("ends the iterator when the reader leaves between rows", async () => {
    produce = () => numbered(1_000_000);
    const { rows, leave } = await begin(client);
    await rows.next();
    leave();
    await ended;
    expect(service.logged).toEqual([]);
  });

  it("ends the iterator when the reader leaves while there are no rows", async () => {
    produce = async function* (call) {
      yield* numbered(1);
      await forever(call);
    };
    const { rows, leave } = await begin(client, TAIL);
    await rows.next();
    leave();
    await ended;
    expect(service.logged).toEqual([]);
  });

  it("tells a fault before the first row as any other call does", async () => {
    accept = () => Promise.reject(new Fault("NOT_FOUND", "no such thing"));
    expect(await readAll(client)).toEqual({
      count: 0,
      told: { code: "not_found", reason: "NOT_FOUND", message: "no such thing" },
    });
  });

  it("is refused for a request that breaks a rule", async () => {
    expect(await readAll(client, { source: "api_traffic", filters: { statusCode: 1_000 } })).toMatchObject({
      told: { code: "invalid_argument", reason: "INVALID_REQUEST" },
    });
  });

  it(`${isBrokenOff ? "is broken off at" : "tells"} a fault between rows, after all rows before it`, async () => {
    const haveRows = Promise.withResolvers<void>();
    produce = async function* () {
      yield* numbered(5);
      await haveRows.promise;
      throw new Error("a secret of the database");
    };
    const { rows } = await begin(client);
    for (let index = 0; index < 5; index++) {
      expect(await rows.next()).toMatchObject({ value: { requestId: String(index) } });
    }
    haveRows.resolve();
    const failure = await rows.next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StreamFailure);
    const { told } = failure as StreamFailure;
    expect(told).toMatchObject(isBrokenOff ? { code: "broken" } : { code: "internal", reason: "INTERNAL" });
    expect(told.message).not.toContain("secret");
    expect(service.logged).toHaveLength(1);
  });

  it("gives no row after the credential was revoked", async () => {
    produce = async function* () {
      yield* numbered(1);
      service.setRevoked(true);
      yield* numbered(1);
    };
    const { count, told } = await readAll(client);
    service.setRevoked(false);
    expect(count).toBeLessThanOrEqual(1);
    expect(told).toMatchObject(isBrokenOff ? { code: "broken" } : { reason: "WRONG_CREDENTIAL" });
    await ended;
  });
});
