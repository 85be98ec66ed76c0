import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeysvcClient, type LogRow } from "../../clients/typescript/src/index.ts";
import { APPLICATIONS } from "../../clients/typescript/test/applications.ts";
import { createConsumerWithKey, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { openTrafficReader, type TrafficReader } from "../harness/traffic-reader.ts";

let service: TestService;
let reader: TrafficReader;
let client: KeysvcClient;
beforeAll(async () => {
  service = await startService();
  reader = await openTrafficReader(service);
  client = new KeysvcClient({ baseURL: service.url, projectKey: PROJECT_KEY });
});
afterAll(async () => {
  await client.close();
  await reader.close();
  await service.close();
});

/** What a kind of caller sends, and how many of its requests come to which status. */
interface Caller {
  key: string | undefined;
  requests: number;
  statuses: Record<number, number>;
}

/** 1,000 requests whose outcomes are known, whatever order they come in. */
async function createCallers(apiId: string): Promise<Caller[]> {
  const other = await client.api.create({ name: "another" });
  const key = { allowedApis: [apiId] };
  const unlimited = await createConsumerWithKey(service, { name: "unlimited" }, key);
  const limited = await createConsumerWithKey(service, { credits: { limit: 100 } }, key);
  const disabled = await createConsumerWithKey(service, { status: "disabled" }, key);
  const elsewhere = await createConsumerWithKey(service, {}, { allowedApis: [other.apiId] });
  const expired = await createConsumerWithKey(service, {}, { ...key, expiresAt: "2020-01-01" });
  return [
    { key: unlimited.key, requests: 400, statuses: { 200: 400 } },
    { key: limited.key, requests: 200, statuses: { 200: 100, 429: 100 } },
    { key: disabled.key, requests: 100, statuses: { 403: 100 } },
    { key: elsewhere.key, requests: 50, statuses: { 403: 50 } },
    { key: expired.key, requests: 50, statuses: { 401: 50 } },
    { key: "sk_unknown_0123456789abcdefghij", requests: 100, statuses: { 401: 100 } },
    { key: undefined, requests: 100, statuses: { 401: 100 } },
  ];
}

async function rowsOf(source: "api_traffic" | "key_activity", apiId: string): Promise<LogRow[]> {
  const window = {
    startTime: new Date(Date.now() - 600_000).toISOString(),
    endTime: new Date(Date.now() + 60_000).toISOString(),
  };
  const rows: LogRow[] = [];
  for await (const row of await client.analytics.logsExport({ source, apiId, ...window })) rows.push(row);
  return rows;
}

describe.each(Object.keys(APPLICATIONS))("1,000 requests through %s", (name) => {
  it("are 1,000 events, joined to their validations, without a key or a credential", { timeout: 120_000 }, async () => {
    const { apiId } = await client.api.create({ name });
    const callers = await createCallers(apiId);
    let runs = 0;
    const errors: unknown[] = [];
    const capture = { captureQueryParams: true, captureRequestHeaders: true, captureResponseHeaders: true };
    const application = await APPLICATIONS[name]?.({
      options: {
        ...{ apiId, projectKey: PROJECT_KEY, baseURL: service.url, timeoutMs: 30_000 },
        ...{ ...capture, captureResponseBody: true, captureClientIP: true },
        onError: (event) => errors.push(event),
      },
      handler: {},
      route: undefined,
      onRun: () => runs++,
    });
    if (application === undefined) throw new Error(`no application ${name}`);
    const waiting = callers.flatMap((caller) => Array.from({ length: caller.requests }, () => caller));
    const answered = new Map<Caller, Record<number, number>>();
    const call = async (): Promise<void> => {
      for (let caller = waiting.pop(); caller !== undefined; caller = waiting.pop()) {
        const key = caller.key ?? "";
        const response = await fetch(`http://127.0.0.1:${application.port}/v1/${key}/x?q=${key}`, {
          headers: { cookie: `s=${key}`, "x-debug": key, ...(caller.key && { authorization: `Bearer ${key}` }) },
        });
        await response.text();
        const statuses = answered.get(caller) ?? {};
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        answered.set(caller, statuses);
      }
    };
    await Promise.all(Array.from({ length: 16 }, call));
    await application.close(async () => undefined);
    for (const caller of callers) expect(answered.get(caller)).toEqual(caller.statuses);
    expect([runs, errors]).toEqual([500, []]);

    const events = await reader.find({ apiId });
    expect(events).toHaveLength(1_000);
    const text = JSON.stringify(events);
    for (const { key } of callers) if (key !== undefined) expect(text).not.toContain(key);
    expect(text).not.toMatch(/bearer sk_|"cookie|authorization\\"/i);

    const [traffic, activity] = [await rowsOf("api_traffic", apiId), await rowsOf("key_activity", apiId)];
    expect(traffic).toHaveLength(1_000);
    expect(new Set(traffic.map(({ requestId }) => requestId)).size).toBe(1_000);
    const validations = new Map(activity.map((row) => [row.requestId, row]));
    // Who sends no key is not validated.
    expect(validations.size).toBe(900);
    const joined = traffic.filter(({ requestId }) => validations.has(requestId));
    expect(joined).toHaveLength(900);
    for (const { requestId, statusCode, consumerId, apiKey } of joined) {
      expect(validations.get(requestId)).toMatchObject({ statusCode, consumerId, apiKey });
    }
  });
});

describe("the client", () => {
  it("calls every kind of method of the service", async () => {
    const { consumerId } = await client.consumer.create({ name: "Acme", credits: { limit: 10 }, metadata: { a: [1] } });
    expect(await client.consumer.details({ consumerId })).toMatchObject({
      name: "Acme",
      metadata: { a: [1] },
      planId: null,
    });
    expect((await client.consumer.update({ consumerId, credits: null })).credits).toBeNull();
    const { key } = await client.key.create({ consumerId });
    expect(await client.verify(key, { credits: 2 })).toMatchObject({ allowed: true, creditsRemaining: null });
    expect(await client.key.validate({ key: "sk_none" })).toMatchObject({ valid: false, code: "NOT_FOUND" });
    const list = await client.consumer.list({ search: "acme", limit: 5 });
    expect(list.consumers.map((item) => item.consumerId)).toContain(consumerId);
    const stats = await client.analytics.stats({ source: "key_activity", timeRange: "1h" });
    expect(stats).toMatchObject({ source: "key_activity", timeRange: "1h" });
    await expect(client.consumer.details({ consumerId: "consumer_none" })).rejects.toMatchObject({ statusCode: 404 });
    const wrong = client.consumer.create({ name: "x", rateLimit: { limit: 0 } });
    await expect(wrong).rejects.toMatchObject({ statusCode: 400, fields: [{ field: "rateLimit.limit" }] });
  });

  it("follows what happens, from when the call is accepted, until it is ended", async () => {
    const rows = await client.analytics.logsTail({ source: "api_traffic" });
    const sent = { events: [{ method: "GET", path: "/followed", statusCode: 200, requestId: "followed-1" }] };
    expect(await client.sendEvents(sent)).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await client.sendEvents(sent)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    for await (const row of rows) {
      expect(row).toMatchObject({ requestId: "followed-1", path: "/followed" });
      break;
    }
  });

  it("sends what was ingested when it is flushed", async () => {
    client.ingest(
      { method: "GET", path: "/flushed", statusCode: 200 },
      { method: "POST", path: "/flushed", statusCode: 201 },
    );
    await client.flush();
    expect(await reader.find({ path: "/flushed" })).toHaveLength(2);
    expect(client.dropped).toBe(0);
  });
});
