import { connect } from "node:net";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function countDocuments(): Promise<number> {
  const client = await MongoClient.connect(service.databaseUri);
  const db = client.db(new URL(service.databaseUri).pathname.slice(1));
  const counts = ["consumers", "keys", "apis", "projects"].map((name) => db.collection(name).countDocuments());
  const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  await client.close();
  return total;
}

const DEEP = `{"metadata":${'{"a":'.repeat(33)}1${"}".repeat(33)}}`;
const VERY_DEEP = `{"metadata":{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}}`;

describe("bad input", () => {
  it.each<[string, string, unknown, number, string, string[]]>([
    ["malformed JSON", "/consumer/create", '{"name":', 400, "invalid_argument", []],
    ["an array as the body", "/consumer/create", "[]", 400, "invalid_argument", [""]],
    ["null as the body", "/consumer/create", "null", 400, "invalid_argument", [""]],
    ["an unknown field", "/consumer/create", { nam: "x" }, 400, "invalid_argument", ["nam"]],
    [
      "a nested unknown field",
      "/consumer/create",
      { credits: { limit: 1, x: 1 } },
      400,
      "invalid_argument",
      ["credits.x"],
    ],
    ["a negative cost", "/key/validate", { key: "k", credits: -1 }, 400, "invalid_argument", ["credits"]],
    ["a text as a cost", "/key/validate", { key: "k", credits: "x" }, 400, "invalid_argument", ["credits"]],
    ["a fraction as a cost", "/key/validate", { key: "k", credits: 0.5 }, 400, "invalid_argument", ["credits"]],
    [
      "a limit of 2^53",
      "/consumer/create",
      { credits: { limit: 2 ** 53 } },
      400,
      "invalid_argument",
      ["credits.limit"],
    ],
    ["a limit of 1e400", "/consumer/create", '{"credits":{"limit":1e400}}', 400, "invalid_argument", ["credits.limit"]],
    ["credits without a limit", "/consumer/create", { credits: {} }, 400, "invalid_argument", ["credits.limit"]],
    [
      "a refill without its fields",
      "/consumer/create",
      { credits: { limit: 1, refill: {} } },
      400,
      "invalid_argument",
      ["credits.refill.every", "credits.refill.refillCredit"],
    ],
    [
      "an overage without a limit",
      "/consumer/create",
      { credits: { limit: 1, overage: { enabled: true } } },
      400,
      "invalid_argument",
      ["credits.overage.limit"],
    ],
    [
      "limit and overage beyond 2^53",
      "/consumer/create",
      { credits: { limit: 2 ** 53 - 1, overage: { enabled: true, limit: 1 } } },
      400,
      "invalid_argument",
      ["credits.overage.limit"],
    ],
    [
      "a carryover without a refill",
      "/consumer/create",
      { credits: { limit: 1, carryover: { enabled: true, max: 1 } } },
      400,
      "invalid_argument",
      ["credits.carryover"],
    ],
    [
      "a window of 0",
      "/consumer/create",
      { rateLimit: { limit: 1, window: 0 } },
      400,
      "invalid_argument",
      ["rateLimit.window"],
    ],
    [
      "a rate limit beyond its bound",
      "/consumer/create",
      { rateLimit: { limit: 1_000_000_001 } },
      400,
      "invalid_argument",
      ["rateLimit.limit"],
    ],
    ["an unknown status", "/consumer/create", { status: "gone" }, 400, "invalid_argument", ["status"]],
    ["the status deleted", "/consumer/create", { status: "deleted" }, 400, "invalid_argument", ["status"]],
    [
      "a day that does not exist",
      "/consumer/create",
      { expiresAt: "2026-02-30" },
      400,
      "invalid_argument",
      ["expiresAt"],
    ],
    [
      "a webhook that is no web address",
      "/consumer/create",
      { webhookUrl: "ftp://x/" },
      400,
      "invalid_argument",
      ["webhookUrl"],
    ],
    ["a tag that is a number", "/consumer/create", { tags: ["a", 1] }, 400, "invalid_argument", ["tags[1]"]],
    ["metadata of 33 levels", "/consumer/create", DEEP, 400, "invalid_argument", ["metadata"]],
    ["metadata of 400,000 levels", "/consumer/create", VERY_DEEP, 400, "invalid_argument", ["metadata"]],
    [
      "metadata with a number beyond a double",
      "/consumer/create",
      '{"metadata":{"a":1e999}}',
      400,
      "invalid_argument",
      ["metadata"],
    ],
    ["metadata that is a list", "/consumer/create", { metadata: [] }, 400, "invalid_argument", ["metadata"]],
    [
      "metadata with a NUL in a key",
      "/consumer/create",
      '{"metadata":{"a\\u0000":1}}',
      400,
      "invalid_argument",
      ["metadata"],
    ],
    ["a lone surrogate", "/consumer/create", '{"name":"\\ud800"}', 400, "invalid_argument", ["name"]],
    ["an empty key", "/key/validate", { key: "" }, 400, "invalid_argument", ["key"]],
    ["a key of 8,193 bytes", "/key/validate", { key: "k".repeat(8_193) }, 400, "invalid_argument", ["key"]],
    [
      "a requestId with a space",
      "/key/validate",
      { key: "k", requestId: "a b" },
      400,
      "invalid_argument",
      ["requestId"],
    ],
    ["a prefix with a dash", "/key/create", { consumerId: "c", prefix: "a-b" }, 400, "invalid_argument", ["prefix"]],
    [
      "several faults at once",
      "/key/validate",
      { key: 5, credits: -1, bogus: 1 },
      400,
      "invalid_argument",
      ["key", "credits", "bogus"],
    ],
    ["a consumer that does not exist", "/consumer/details", { consumerId: "consumer_x" }, 404, "not_found", []],
    ["an operator as an id", "/consumer/details", { consumerId: { $ne: "" } }, 400, "invalid_argument", ["consumerId"]],
    ["a key for nobody", "/key/create", { consumerId: "consumer_x" }, 404, "not_found", []],
    ["a plan that does not exist", "/consumer/create", { planId: "plan_x" }, 404, "not_found", []],
    ["an event that does not exist", "/webhook/replay", { eventId: "evt_x" }, 404, "not_found", []],
    ["a path that does not exist", "/consumer/nothing", {}, 404, "not_found", []],
    ["a body of 2 MB", "/consumer/create", { name: "x".repeat(2_000_000) }, 413, "resource_exhausted", []],
  ])("%s is refused, and changes nothing", async (_title, path, body, status, code, fields) => {
    const before = await countDocuments();
    expectProblem(await service.call(path, body), status, code, fields);
    expect(await countDocuments()).toBe(before);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it.each(["GET", "PUT", "DELETE", "PATCH"])("%s on a path of POST is 405 with Allow", async (method) => {
    const response = await fetch(`${service.url}/key/validate`, { method });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectProblem(answer, 405, "unimplemented");
    expect(response.headers.get("allow")).toBe("POST");
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/xml"])("%s is 415", async (contentType) => {
    const headers = { "content-type": contentType, authorization: `Bearer ${PROJECT_KEY}` };
    const response = await fetch(`${service.url}/consumer/create`, { method: "POST", headers, body: "a=b" });
    expectProblem(
      { status: response.status, headers: response.headers, body: await response.json() },
      415,
      "invalid_argument",
    );
  });

  it("a body that is not UTF-8 is 400", async () => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${PROJECT_KEY}` };
    const body = Buffer.from('{"name":"\xff\xfe"}', "latin1");
    const response = await fetch(`${service.url}/consumer/create`, { method: "POST", headers, body });
    expectProblem(
      { status: response.status, headers: response.headers, body: await response.json() },
      400,
      "invalid_argument",
    );
  });

  it("an empty body is an empty object", async () => {
    expect((await service.call("/consumer/create", "")).status).toBe(200);
  });

  it.each([
    ["Content-Encoding: gzip", { "content-encoding": "gzip" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
  ])("%s is 415", async (_title, extra) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${PROJECT_KEY}`, ...extra };
    const response = await fetch(`${service.url}/consumer/create`, { method: "POST", headers, body: "{}" });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectProblem(answer, 415, "invalid_argument");
  });

  it.each([
    ["malformed JSON on a path that does not exist", "POST", "/nope", 404, "not_found"],
    ["malformed JSON with another method", "PUT", "/key/validate", 405, "unimplemented"],
    ["a path that cannot be decoded", "POST", "/%zz", 400, "invalid_argument"],
  ])("%s is a problem like any other", async (_title, method, path, status, code) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(service.url + path, { method, headers, body: "{bad" });
    expectProblem({ status: response.status, headers: response.headers, body: await response.json() }, status, code);
  });

  it("a megabyte of faults is 400, and names no more than 100 of them", async () => {
    const answer = await service.call("/key/create", { consumerId: "x", allowedApis: Array(300_000).fill("") });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
    expect(answer.body.errors.length).toBeLessThanOrEqual(100);
  });

  it("bytes that are no HTTP are answered with a problem, and the connection is closed", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(service.app.port, "127.0.0.1", () => socket.write("this is no HTTP\r\n\r\n"));
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
      });
      socket.on("end", () => resolve(received));
      socket.on("error", reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject({ status: 400, code: "invalid_argument" });
  });
});
