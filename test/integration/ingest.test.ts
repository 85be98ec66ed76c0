import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../harness/own-project.ts";
import { expectProblem } from "../harness/problem.ts";
import { startService, type TestService } from "../harness/service.ts";
import { openTrafficReader, type TrafficReader } from "../harness/traffic-reader.ts";

let service: TestService;
let reader: TrafficReader;
beforeAll(async () => {
  service = await startService();
  reader = await openTrafficReader(service);
});
afterAll(async () => {
  await reader.close();
  await service.close();
});

const LEAST = { method: "GET", path: "/v1/things?page=2", statusCode: 200 };
const NONE = { accepted: 0, duplicates: 0, rejected: [] };
let ids = 0;
const newId = () => `request-${++ids}`;

describe("an event", () => {
  it("is kept with everything that was sent, masked, cut and cleaned", async () => {
    const requestId = newId();
    const at = Math.floor(Date.now() / 1_000) * 1_000;
    const kept = {
      ...{ requestId, method: "POST", endpoint: "/v1/:id", path: "/v1/7?a=b", statusCode: 503, clientIp: "::1" },
      ...{ apiId: "api_unknown", apiName: "Theirs", consumerId: "consumer_unknown", consumerName: "Zoë" },
      ...{ country: "DE", region: "BE", userAgent: "curl", responseHeaders: '{"x":"$y"}' },
    };
    const sent = {
      ...{ ...kept, latencyMs: 1.23456, apiKey: "sk_live_0123456789abcdef", tsUnix: 1 },
      timestamp: new Date(at).toISOString().slice(0, 19).replace("T", " "),
      ...{ requestBody: "ü".repeat(5_000), responseBody: "\0", requestHeaders: '{"Cookie":"a","accept":"*/*"}' },
    };
    expect(await service.ok("/ingest", { events: [sent] })).toEqual({ ...NONE, accepted: 1 });
    const [stored] = await reader.find({ requestId });
    expect(stored).toEqual({
      ...{ ...kept, at: new Date(at), projectId: expect.stringMatching(/^project_/), latencyMs: 1.235 },
      ...{ apiKey: "********abcdef", requestBody: "ü".repeat(1_024), responseBody: "\0" },
      requestHeaders: '{"accept":"*/*"}',
    });
  });

  it("needs little, is of now, and gets an id", async () => {
    const before = Date.now();
    await service.ok("/ingest", { events: [{ ...LEAST, userAgent: "little" }] });
    const [stored] = await reader.find({ userAgent: "little" });
    const { at, requestId, projectId, ...rest } = stored ?? {};
    expect(rest).toEqual({ ...LEAST, endpoint: "/v1/things", latencyMs: 0, userAgent: "little" });
    expect(requestId).toMatch(/^req_\w{26}$/);
    expect(Math.abs(at.getTime() - before)).toBeLessThan(60_000);
  });

  it("is durable before the answer: it waits to be drained, with its id, or is drained", async () => {
    for (let call = 0; call < 20; call++) {
      const requestId = newId();
      await service.ok("/ingest", { events: [{ ...LEAST, requestId }] });
      const ingested = reader.db.collection("ingested");
      const waiting = await ingested.countDocuments({ events: { $regex: requestId }, requestIds: requestId });
      const drained = await reader.db.collection("api_traffic").countDocuments({ requestId });
      expect(waiting + drained).toBeGreaterThan(0);
      expect(await ingested.countDocuments({ requestIds: requestId })).toBe(1);
    }
  });

  it("belongs to the project of the credential alone, and so does its id", async () => {
    const requestId = newId();
    const projects = await Promise.all([createProject(service), createProject(service)]);
    for (const { ok } of projects) {
      expect(await ok("/ingest", { events: [{ ...LEAST, requestId }] })).toEqual({ ...NONE, accepted: 1 });
    }
    const stored = await reader.find({ requestId });
    expect(new Set(stored.map(({ projectId }) => projectId)).size).toBe(2);
  });
});

describe("a bad event is rejected alone:", () => {
  it.each<[string, unknown, string]>([
    ["one that is no object", 5, "must be an object"],
    ["one that is null", null, "must be an object"],
    ["an unknown field", { ...LEAST, bogus: 1 }, "bogus: unknown field"],
    ["wrong types", { method: 1, statusCode: "200" }, "method: must be a string; statusCode: must be a number"],
    ["a status that is no integer", { ...LEAST, statusCode: 200.5 }, "statusCode: must be an integer"],
    [
      "a latency of 1e400",
      '{"method":"GET","path":"/","statusCode":200,"latencyMs":1e400}',
      "latencyMs: must be a number",
    ],
    ["nothing", {}, "method: is required; endpoint: is required, or path; statusCode: is required"],
    ["a time of year 1", { ...LEAST, timestamp: "0001-01-01 00:00:00" }, "timestamp: must be at most 30 days old"],
    [
      "a time of year 9999",
      { ...LEAST, timestamp: "9999-12-31T00:00:00Z" },
      "timestamp: must be at most 5 minutes ahead",
    ],
    ["a time of the year 10000", { ...LEAST, tsUnix: 253_402_300_800 }, "tsUnix: must be at most 5 minutes ahead"],
    ["a NUL in an id", { ...LEAST, consumerId: "a\0" }, "consumerId: must not have a NUL"],
    ["a lone surrogate", '{"method":"\\ud800","path":"/","statusCode":200}', "method: must be well-formed Unicode"],
    [
      "a header of 1 MB",
      { ...LEAST, requestHeaders: JSON.stringify({ x: "y".repeat(1_000_000) }) },
      "requestHeaders: must be at most 16384 bytes",
    ],
    [
      "headers that are no JSON",
      { ...LEAST, responseHeaders: "x: y" },
      "responseHeaders: must be the JSON text of an object",
    ],
  ])("%s", async (_title, bad, message) => {
    const [before, after] = [newId(), newId()];
    const good = (requestId: string) => JSON.stringify({ ...LEAST, requestId });
    const text = typeof bad === "string" ? bad : JSON.stringify(bad);
    const answer = await service.ok("/ingest", `{"events":[${good(before)},${text},${good(after)}]}`);
    expect(answer).toEqual({ accepted: 2, duplicates: 0, rejected: [{ index: 1, message: expect.any(String) }] });
    expect(answer.rejected[0].message.startsWith(message)).toBe(true);
    expect(await reader.find({ requestId: { $in: [before, after] } })).toHaveLength(2);
  });

  it("all of them, and then nothing is written", async () => {
    const { rejected, accepted } = await service.ok("/ingest", { events: Array(1_000).fill({}) });
    expect([accepted, rejected.length, rejected[999].index]).toEqual([0, 1_000, 999]);
  });
});

describe("a wrong envelope is 400:", () => {
  it.each<[string, unknown, string[]]>([
    ["1,001 events", { events: Array(1_001).fill(LEAST) }, ["events"]],
    ["a million elements that are no events", `{"events":[${"1,".repeat(999_999)}1]}`, ["events"]],
    ["events that are no list", { events: LEAST }, ["events"]],
    ["an unknown field", { events: [], more: 1 }, ["more"]],
    ["a list", "[]", [""]],
  ])("%s", async (_title, body, fields) => {
    expectProblem(await service.call("/ingest", body), 400, "invalid_argument", fields);
  });

  it("more than 16 MiB are 413, and a little less are taken", async () => {
    const events = (length: number) => ({ events: [{ ...LEAST, requestBody: "x".repeat(length) }] });
    expectProblem(await service.call("/ingest", events(16 * 2 ** 20)), 413, "resource_exhausted");
    expect(await service.ok("/ingest", events(16 * 2 ** 20 - 200))).toMatchObject({ accepted: 1 });
  });

  it("no events are none", async () => {
    expect(await service.ok("/ingest", {})).toEqual(NONE);
    expect(await service.ok("/ingest", { events: [] })).toEqual(NONE);
  });

  it("a thousand events, with all that an event can hold, are taken at once", async () => {
    const text = "あ".repeat(2_600);
    const event = {
      ...LEAST,
      userAgent: "full",
      path: `/${text}`,
      endpoint: text.slice(0, 1_000),
      requestBody: "\x01".repeat(900),
    };
    expect(await service.ok("/ingest", { events: Array(1_000).fill(event) })).toEqual({ ...NONE, accepted: 1_000 });
    expect(await reader.find({ userAgent: "full" })).toHaveLength(1_000);
  });
});

it("a credential without the scope is refused", async () => {
  const { projectKey } = await service.ok("/project/credential/create", { name: "reader", scopes: ["read"] });
  expectProblem(await service.call("/ingest", { events: [LEAST] }, projectKey), 403, "permission_denied");
});

describe("names", () => {
  it("are those of the time: the API's own wins, the consumer's own stands in for a label", async () => {
    const { ok } = await createProject(service);
    const { apiId } = await ok("/api/create", { name: "Orders" });
    const { consumerId } = await ok("/consumer/create", { name: "Zoë" });
    const { consumerId: nameless } = await ok("/consumer/create", {});
    const ingest = async () => {
      const requests = [
        { apiId, apiName: "not this", consumerId },
        { apiId, consumerId, consumerName: "a label" },
        { apiId: "api_none", apiName: "kept", consumerId: "consumer_none" },
        { consumerId: nameless },
        { apiName: "kept too" },
      ].map((more) => ({ ...LEAST, ...more, requestId: newId() }));
      expect(await ok("/ingest", { events: requests })).toEqual({ ...NONE, accepted: 5 });
      const stored = await reader.find({ requestId: { $in: requests.map(({ requestId }) => requestId) } });
      const byId = new Map(stored.map((event) => [event.requestId, event]));
      return requests.map(({ requestId }) => [byId.get(requestId)?.apiName, byId.get(requestId)?.consumerName]);
    };
    const rest = [
      ["kept", undefined],
      [undefined, undefined],
      ["kept too", undefined],
    ];
    expect(await ingest()).toEqual([["Orders", "Zoë"], ["Orders", "a label"], ...rest]);
    await ok("/api/update", { apiId, name: "Sales" });
    await ok("/consumer/update", { consumerId, name: "Zoe" });
    // Within 200 ms, as everywhere.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await ingest()).toEqual([["Sales", "Zoe"], ["Sales", "a label"], ...rest]);
  });

  it("of another project's things are not shown", async () => {
    const [theirs, own] = await Promise.all([createProject(service), createProject(service)]);
    const { apiId } = await theirs.ok("/api/create", { name: "Secret" });
    const { consumerId } = await theirs.ok("/consumer/create", { name: "Secret" });
    const requestId = newId();
    await own.ok("/ingest", { events: [{ ...LEAST, requestId, apiId, consumerId }] });
    const [stored] = await reader.find({ requestId });
    expect(stored).toMatchObject({ apiId, consumerId });
    expect(JSON.stringify(stored)).not.toContain("Secret");
  });
});
