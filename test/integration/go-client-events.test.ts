import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dumpDatabase } from "../harness/dump-database.ts";
import { buildGoApp, GO_ADAPTERS, type GoApp, startGoApp } from "../harness/go-app.ts";
import { type GuardedWorld, startGuardedWorld } from "../harness/guarded-world.ts";
import { installedGo } from "../harness/installed-go.ts";
import { PROJECT_KEY } from "../harness/service.ts";
import { openTrafficReader } from "../harness/traffic-reader.ts";

/** What callers send besides the key, and must not be anywhere afterwards. */
const MARKER = "sk_never_leaves_the_application_0123456789";
const AT_ONCE = 16;
const REQUESTS = 1_000;

/** A kind of request: how often, with the key of which verdict, to which path, and what it is answered. */
interface Kind {
  count: number;
  key: string;
  path?: string;
  status: number;
}

const KINDS: Kind[] = [
  { count: 360, key: "VALID", status: 200 },
  { count: 60, key: "VALID", path: "/status/404", status: 404 },
  { count: 40, key: "VALID", path: "/status/503", status: 503 },
  { count: 20, key: "VALID", path: "/status/204", status: 204 },
  { count: 20, key: "VALID", path: "/panic", status: 500 },
  { count: 80, key: "NOT_FOUND", status: 401 },
  { count: 60, key: "KEY_EXPIRED", status: 401 },
  { count: 60, key: "KEY_DISABLED", status: 403 },
  { count: 60, key: "CONSUMER_DISABLED", status: 403 },
  { count: 40, key: "CONSUMER_EXPIRED", status: 403 },
  { count: 40, key: "API_NOT_ALLOWED", status: 403 },
  { count: 40, key: "RATE_LIMITED", status: 429 },
  { count: 40, key: "USAGE_EXCEEDED", status: 429 },
  { count: 60, key: "MISSING", status: 401 },
  { count: 20, key: "IMPOSSIBLE", status: 401 },
];
/** These are denied without asking. */
const UNASKED = ["MISSING", "IMPOSSIBLE"];
const IMPOSSIBLE = "sk_impossible_because of_white_space_0123456789";

/** One request: its path is its own, so that its event can be told from all others. */
interface Planned extends Kind {
  target: string;
}

const PLAN: Planned[] = KINDS.flatMap((kind, k) =>
  Array.from({ length: kind.count }, (_, i) => ({ ...kind, target: `${kind.path ?? "/things"}/${k}-${i}` })),
);

const go = installedGo();
if ("missing" in go) process.stdout.write(`${go.missing}: the Go client is NOT tested against the service\n`);

describe.runIf("version" in go)("a thousand requests through each adapter of the Go client", () => {
  const folder = mkdtempSync(join(tmpdir(), "keysvc-go-"));
  let world: GuardedWorld;
  let app: GoApp;
  const apiIds: Record<string, string> = {};
  const answers: Record<string, number[]> = {};
  let dropped: number;
  let traffic: Document[];
  let activity: Map<string, Document>;

  const keyOf = ({ key }: Kind) => (key === "IMPOSSIBLE" ? IMPOSSIBLE : (world.keys[key]?.key ?? ""));

  async function send(port: number, planned: Planned): Promise<number> {
    const key = keyOf(planned);
    const response = await fetch(`http://127.0.0.1:${port}${planned.target}?page=1&q=${encodeURIComponent(key)}`, {
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...{ cookie: `session=${MARKER}`, "proxy-authorization": `Basic ${MARKER}`, "x-api-key": MARKER },
        ...{ "x-echo": key, "x-debug": `key=${key}`, "user-agent": `tests (${key})` },
      },
    });
    await response.arrayBuffer();
    return response.status;
  }

  beforeAll(async () => {
    const program = join(folder, "app");
    buildGoApp(program);
    world = await startGuardedWorld();
    for (const adapter of GO_ADAPTERS) apiIds[adapter] = await world.createApi(adapter);
    const captures = {
      ...{ captureQueryParams: true, captureRequestHeaders: true, captureResponseHeaders: true },
      ...{ captureResponseBody: true, captureClientIP: true, excludePaths: ["/health"] },
    };
    app = await startGoApp(program, {
      baseURL: world.service.url,
      projectKey: PROJECT_KEY,
      // A busy machine is not what is tested.
      timeoutMs: 30_000,
      servers: GO_ADAPTERS.map((adapter) => ({
        name: adapter,
        adapter,
        options: { apiId: apiIds[adapter] ?? "", ...captures },
      })),
    });
    for (const adapter of GO_ADAPTERS) {
      const port = app.port(adapter);
      const waiting = PLAN.map((planned, index) => ({ planned, index }));
      const statuses: number[] = [];
      const caller = async () => {
        for (let next = waiting.pop(); next; next = waiting.pop())
          statuses[next.index] = await send(port, next.planned);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, caller));
      for (let i = 0; i < 20; i++) {
        await fetch(`http://127.0.0.1:${port}/health?i=${i}`);
        await fetch(`http://127.0.0.1:${port}/things/preflight`, { method: "OPTIONS" });
      }
      answers[adapter] = statuses;
    }
    ({ dropped } = await app.stop());
    const reader = await openTrafficReader(world);
    traffic = await reader.find();
    const verdicts = await reader.db.collection("key_activity").find().toArray();
    activity = new Map(verdicts.map((verdict) => [verdict.requestId, verdict]));
    await reader.close();
  }, 600_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.service.stop("SIGTERM");
  });

  it("plans a thousand", () => {
    expect(PLAN).toHaveLength(REQUESTS);
  });

  it("drops no event and complains of nothing", () => {
    expect({ dropped, complaints: app.complaints() }).toEqual({ dropped: 0, complaints: "" });
  });

  describe.each(GO_ADAPTERS)("%s", (adapter) => {
    const own = () => traffic.filter(({ apiId }) => apiId === apiIds[adapter]);

    it("answers each as planned", () => {
      expect(answers[adapter]).toEqual(PLAN.map(({ status }) => status));
    });

    it("leaves exactly one event of each, and none of what is bypassed", () => {
      const events = own().map(({ method, endpoint, statusCode }) => `${method} ${endpoint} ${statusCode}`);
      const planned = PLAN.map(({ target, status }) => `GET ${target} ${status}`);
      expect(events.sort()).toEqual(planned.sort());
      expect(new Set(own().map(({ requestId }) => requestId)).size).toBe(REQUESTS);
    });

    it("joins each to its verdict by requestId, and those that were not asked about to none", () => {
      const plan = new Map(PLAN.map((planned) => [planned.target, planned]));
      const joined = own().map(({ endpoint, requestId, consumerId = "" }) => {
        const verdict = activity.get(requestId);
        return [endpoint, verdict?.code, verdict?.apiId, consumerId, verdict?.consumerId ?? ""];
      });
      for (const [endpoint, code, apiId, consumerId, consumerOfVerdict] of joined) {
        const { key = "" } = plan.get(endpoint) ?? {};
        const asked = !UNASKED.includes(key);
        const owner = world.keys[key]?.consumerId ?? "";
        expect([code, apiId, consumerId, consumerOfVerdict], endpoint).toEqual(
          asked ? [key, apiIds[adapter], owner, owner] : [undefined, undefined, "", ""],
        );
      }
      const asked = PLAN.filter(({ key }) => !UNASKED.includes(key)).length;
      expect([...activity.values()].filter(({ apiId }) => apiId === apiIds[adapter])).toHaveLength(asked);
    });

    it("records what is captured, without what never leaves", () => {
      const [event] = own().filter(({ endpoint }) => endpoint === "/things/0-0");
      expect(event).toMatchObject({ clientIp: "127.0.0.1", path: "/things/0-0?page=1&q=[REDACTED]" });
      const sent = JSON.parse(event?.requestHeaders);
      const answered = JSON.parse(event?.responseHeaders);
      expect(sent).toMatchObject({ "x-debug": "key=[REDACTED]", "x-echo": "[REDACTED]" });
      for (const name of ["authorization", "cookie", "proxy-authorization", "x-api-key"])
        expect(sent).not.toHaveProperty(name);
      expect(answered).toMatchObject({ "x-echo": "[REDACTED]" });
      expect(answered).not.toHaveProperty("set-cookie");
      expect(JSON.parse(event?.responseBody)).toMatchObject({ echo: "[REDACTED]", requestId: event?.requestId });
      expect(event?.userAgent).toBe("tests ([REDACTED])");
    });
  });

  it("leaves no key, credential or stripped header in the database or a log", async () => {
    const dump = await dumpDatabase(world.databaseUri);
    const logs = world.service.output() + app.complaints();
    const secrets = [...Object.values(world.keys).map(({ key }) => key), MARKER, IMPOSSIBLE, PROJECT_KEY];
    const found = secrets.filter((secret) => dump.includes(secret) || logs.includes(secret));
    expect(found).toEqual([]);
    // What is looked through is what was recorded.
    expect(dump.split("/things/0-0?page=1&q=[REDACTED]").length).toBeGreaterThan(GO_ADAPTERS.length);
    expect(logs).toContain('"msg":"ready"');
  });
});
