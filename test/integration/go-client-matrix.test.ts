import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeService, startFakeService } from "../harness/fake-service.ts";
import { buildGoApp, GO_ADAPTERS, type GoServer, startGoApp } from "../harness/go-app.ts";
import { type GuardedWorld, startGuardedWorld } from "../harness/guarded-world.ts";
import { installedGo } from "../harness/installed-go.ts";
import { PROJECT_KEY } from "../harness/service.ts";
import { openTrafficReader } from "../harness/traffic-reader.ts";
import type { Options, Service } from "../vectors/middleware/case.ts";

/** How a key is sent: the options, and the request's headers and query. */
interface Way {
  options: Options;
  headers(key: string): Record<string, string>;
  query(key: string): string;
}

const header = (name: string, prefix = ""): Omit<Way, "options"> => ({
  headers: (key) => ({ [name]: prefix + key }),
  query: () => "",
});
const WAYS: Record<string, Way> = {
  unset: { options: {}, ...header("authorization", "Bearer ") },
  bearer: { options: { keyScheme: "bearer" }, ...header("authorization", "Bearer ") },
  raw: { options: { keyScheme: "raw" }, ...header("x-api-key") },
  "own-raw": { options: { keyName: "X-Tenant-Key", keyScheme: "raw" }, ...header("x-tenant-key") },
  "own-bearer": { options: { keyName: "X-Tenant-Key", keyScheme: "bearer" }, ...header("x-tenant-key", "bearer ") },
  query: {
    options: { keyLocation: "query", captureQueryParams: true },
    headers: () => ({}),
    query: (key) => `?api_key=${key}`,
  },
  "query-bearer": {
    options: { keyLocation: "query", keyName: "k", keyScheme: "bearer" },
    headers: () => ({}),
    query: (key) => `?k=${key}`,
  },
  cookie: {
    options: { keyLocation: "cookie" },
    headers: (key) => ({ cookie: `a=1; api_key=${key}` }),
    query: () => "",
  },
  "cookie-raw": {
    options: { keyLocation: "cookie", keyName: "k", keyScheme: "raw" },
    headers: (key) => ({ cookie: `k=${key}` }),
    query: () => "",
  },
};
const MODES = ["both", "validate", "ingest"] as const;
const FAILURE_MODES = ["closed", "open"] as const;

/** A server of the matrix. */
interface Cell extends GoServer {
  way: Way;
}

const CELLS: Cell[] = GO_ADAPTERS.flatMap((adapter) =>
  MODES.flatMap((mode) =>
    FAILURE_MODES.flatMap((failureMode) =>
      Object.entries(WAYS).map(([name, way]) => ({
        name: `${adapter}-${mode}-${failureMode}-${name}`,
        adapter,
        options: { apiId: "api_1", mode, failureMode, ...way.options },
        way,
      })),
    ),
  ),
);

const FAULTS: Record<string, { service: Service; opens: boolean }> = {
  timeout: { service: { failure: "timeout" }, opens: true },
  reset: { service: { failure: "reset" }, opens: true },
  "answers-500": { service: { status: 500, body: "{}" }, opens: true },
  "answers-429": { service: { status: 429, headers: { "retry-after": "1" } }, opens: true },
  "answers-401": { service: { status: 401, body: "{}" }, opens: false },
  "answers-garbage": { service: { status: 200, body: "<html>" }, opens: true },
};

/** One line for each request: which, and what it was answered. */
type Line = string;
const AT_ONCE = 16;

async function inParallel<Item>(items: readonly Item[], send: (item: Item) => Promise<Line>): Promise<Line[]> {
  const lines: Line[] = [];
  const waiting = [...items];
  const caller = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) lines.push(await send(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return lines.sort();
}

async function send(port: number, { name, way }: Cell, what: string, key: string | undefined): Promise<Line> {
  const query = key === undefined ? "" : way.query(key);
  const response = await fetch(`http://127.0.0.1:${port}/${what}/${name}${query}`, {
    headers: key === undefined ? {} : way.headers(key),
  });
  await response.arrayBuffer();
  return `/${what}/${name} ${response.status}`;
}

const statusOf = (cell: Cell, denied: number) => (cell.options.mode === "ingest" ? 200 : denied);
/** The event of a request, when its mode records any. */
const recorded = (lines: { cell: Cell; line: Line }[]) =>
  lines.filter(({ cell }) => cell.options.mode !== "validate").map(({ line }) => line);

/** What each server answers to a valid key while nobody can tell that it is one. */
function plannedFor(fault: string, opens: boolean): { cell: Cell; line: Line }[] {
  return CELLS.map((cell) => {
    const status = opens && cell.options.failureMode === "open" ? 200 : statusOf(cell, 503);
    return { cell, line: `/${fault}/${cell.name} ${status}` };
  });
}

const go = installedGo();
if ("missing" in go) process.stdout.write(`${go.missing}: the matrix of the Go client is NOT tested\n`);

describe.runIf("version" in go)("each mode, key location, scheme, failure mode and adapter of the Go client", () => {
  const folder = mkdtempSync(join(tmpdir(), "keysvc-go-"));
  const program = join(folder, "app");
  let world: GuardedWorld;
  let fake: FakeService;

  beforeAll(async () => {
    buildGoApp(program);
    world = await startGuardedWorld();
    fake = await startFakeService();
  }, 600_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await fake?.close();
    await world?.service.stop("SIGTERM");
  });

  it("lets a valid key pass, denies others, and records what its mode records, against the service", async () => {
    const apiId = await world.createApi("matrix");
    const servers = CELLS.map((cell) => ({ ...cell, options: { ...cell.options, apiId } }));
    const settings = { baseURL: world.service.url, projectKey: PROJECT_KEY, timeoutMs: 30_000 };
    const app = await startGoApp(program, { ...settings, servers });
    const requests = CELLS.flatMap((cell) => [
      { cell, what: "valid", key: world.keys.VALID?.key, status: 200 },
      { cell, what: "unknown", key: world.keys.NOT_FOUND?.key, status: statusOf(cell, 401) },
      { cell, what: "disabled", key: world.keys.KEY_DISABLED?.key, status: statusOf(cell, 403) },
      { cell, what: "missing", key: undefined, status: statusOf(cell, 401) },
    ]);
    const lines = await inParallel(requests, ({ cell, what, key }) => send(app.port(cell.name), cell, what, key));
    const planned = requests.map(({ cell, what, status }) => ({ cell, line: `/${what}/${cell.name} ${status}` }));
    expect(lines).toEqual(planned.map(({ line }) => line).sort());
    expect(await app.stop()).toEqual({ dropped: 0 });
    expect(app.complaints()).toBe("");
    const reader = await openTrafficReader(world);
    const events = (await reader.find({ apiId })).map(({ endpoint, statusCode }) => `${endpoint} ${statusCode}`);
    await reader.close();
    expect(events.sort()).toEqual(recorded(planned).sort());
  }, 300_000);

  it.each(Object.entries(FAULTS))(
    "fails as its failure mode says, asks once, and still records: %s",
    async (fault, { service, opens }) => {
      // Nothing answers late here but what never does.
      const timeoutMs = fault === "timeout" ? 500 : 30_000;
      const app = await startGoApp(program, { baseURL: fake.url, projectKey: PROJECT_KEY, timeoutMs, servers: CELLS });
      fake.calls.length = 0;
      await fake.setService(service);
      const planned = plannedFor(fault, opens);
      const key = world.keys.VALID?.key;
      const lines = await inParallel(CELLS, (cell) => send(app.port(cell.name), cell, fault, key));
      expect(lines).toEqual(planned.map(({ line }) => line).sort());
      expect(fake.validations()).toHaveLength(CELLS.filter(({ options }) => options.mode !== "ingest").length);
      expect(await app.stop()).toEqual({ dropped: 0 });
      // A busy machine may bring a batch twice, as it would to the service, which knows the ids.
      const events = new Map(fake.events().map((event) => [event.requestId, event]));
      const texts = [...events.values()].map(({ path, statusCode }) => `${String(path).split("?")[0]} ${statusCode}`);
      expect(texts.sort()).toEqual(recorded(planned).sort());
      expect(JSON.stringify(fake.events()) + app.complaints()).not.toContain(key);
    },
    120_000,
  );

  it("fails as its failure mode says, and tells of it without the key: refused", async () => {
    await fake.setService({ failure: "refused" });
    const settings = { baseURL: fake.url, projectKey: PROJECT_KEY, timeoutMs: 30_000, servers: CELLS };
    const app = await startGoApp(program, settings);
    const key = world.keys.VALID?.key;
    const what = `refused/${key}`;
    const lines = await inParallel(CELLS, (cell) => send(app.port(cell.name), cell, what, key));
    const planned = plannedFor(what, true).map(({ line }) => line);
    expect(lines).toEqual(planned.sort());
    await app.stop();
    expect(app.complaints()).toContain("verify GET /refused/[REDACTED]/nethttp-both-closed-unset:");
    expect(app.complaints()).not.toContain(key);
  }, 120_000);
});
