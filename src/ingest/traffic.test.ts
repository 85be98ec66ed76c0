import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { TrafficEventSchema } from "../../gen/keysvc/v1/ingest_pb.js";
import type { FieldError } from "../lib/fault.ts";
import { checkEvent } from "./traffic.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0, 500);
const DAY_MS = 24 * 3_600_000;
const LEAST = { method: "GET", path: "/v1/things?page=2", statusCode: 200 };

function check(more: MessageInitShape<typeof TrafficEventSchema>, retentionDays = 30) {
  const errors: FieldError[] = [];
  const event = checkEvent(
    create(TrafficEventSchema, { ...LEAST, ...more }),
    "project_1",
    { nowMs: NOW, retentionDays },
    errors,
  );
  return { event, errors: errors.map(({ field, message }) => `${field}: ${message}`) };
}
const errorsOf = (more: MessageInitShape<typeof TrafficEventSchema>, retentionDays = 30) =>
  check(more, retentionDays).errors;

describe("an event", () => {
  it("needs a method, a status, and an endpoint or a path; all else has a default", () => {
    const { event, errors } = check({});
    expect(errors).toEqual([]);
    expect(event).toMatchObject({
      at: NOW,
      latencyMs: 0,
      endpoint: "/v1/things",
      path: "/v1/things?page=2",
      apiKey: "",
    });
    expect(errorsOf({ method: "", path: "", statusCode: undefined }).sort()).toEqual([
      "endpoint: is required, or path",
      "method: is required",
      "statusCode: is required",
    ]);
    expect(check({ path: "", endpoint: "/v1/:id" }).event).toMatchObject({ endpoint: "/v1/:id", path: "" });
    expect(check({ path: "?a" }).event.endpoint).toBe("/");
  });

  it.each([99, 600, 0, -200])("has no status %i", (statusCode) => {
    expect(errorsOf({ statusCode })).toEqual(["statusCode: must be from 100 to 599"]);
  });

  it.each([-0.001, Number.NaN, Number.POSITIVE_INFINITY, DAY_MS + 1])("has no latency of %d ms", (latencyMs) => {
    expect(errorsOf({ latencyMs })).toEqual([`latencyMs: must be from 0 to ${DAY_MS}`]);
  });

  it("has its latency in whole microseconds", () => {
    expect(check({ latencyMs: 1.23456 }).event.latencyMs).toBe(1.235);
    expect(check({ latencyMs: DAY_MS }).event.latencyMs).toBe(DAY_MS);
  });

  it.each(["a b", "x".repeat(129), "ü", "a\n"])("has no request id %j", (requestId) => {
    expect(errorsOf({ requestId })).toEqual(["requestId: must be 1 to 128 visible ASCII characters"]);
  });

  const labels = ["method", "endpoint", "path", "clientIp", "apiKey", "apiId", "apiName", "consumerId", "consumerName"];
  it.each([...labels, "country", "region", "userAgent", "requestId"])("has no NUL in its %s", (field) => {
    expect(errorsOf({ [field]: "a\0b" }).join()).toMatch(new RegExp(`^${field}: must`));
  });

  it.each([...labels, "country", "region", "userAgent"])(
    "has no %s beyond its bound, and none that is no Unicode",
    (field) => {
      expect(errorsOf({ [field]: "x".repeat(8_193) }).join()).toMatch(
        new RegExp(`^${field}: must be at most \\d+ characters$`),
      );
      expect(errorsOf({ [field]: "\ud800" })).toEqual([
        `${field}: must be well-formed Unicode; it has a lone surrogate`,
      ]);
    },
  );

  it("may have a NUL in a body, and no lone surrogate, not even in what is cut off", () => {
    expect(check({ requestBody: "a\0b" }).event.requestBody).toBe("a\0b");
    expect(errorsOf({ responseBody: `${"x".repeat(10_000)}\udc00` }).join()).toMatch(
      /^responseBody: must be well-formed/,
    );
  });
});

describe("the time of an event", () => {
  it.each([
    ["2026-01-31 11:59:00", NOW - 60_500],
    ["2026-01-31T11:59:00.250Z", NOW - 60_250],
    [String((NOW - 500) / 1_000), NOW - 500],
    [String(NOW), NOW],
  ])("may be sent as %s", (timestamp, at) => {
    expect(check({ timestamp })).toMatchObject({ event: { at }, errors: [] });
  });

  it("may be sent as tsUnix, which counts when there is no timestamp", () => {
    const tsUnix = BigInt(NOW - 500) / 1_000n;
    expect(check({ tsUnix }).event.at).toBe(NOW - 500);
    expect(check({ tsUnix: 5n, timestamp: String(NOW) })).toMatchObject({ event: { at: NOW }, errors: [] });
    expect(errorsOf({ tsUnix: 5n })).toEqual(["tsUnix: must be at most 30 days old"]);
  });

  it("is at most 30 days old and 5 minutes ahead", () => {
    expect(errorsOf({ timestamp: String(NOW - 30 * DAY_MS) })).toEqual([]);
    expect(errorsOf({ timestamp: String(NOW - 30 * DAY_MS - 1) })).toEqual(["timestamp: must be at most 30 days old"]);
    expect(errorsOf({ timestamp: String(NOW + 300_000) })).toEqual([]);
    expect(errorsOf({ timestamp: String(NOW + 300_001) })).toEqual(["timestamp: must be at most 5 minutes ahead"]);
  });

  it.each([
    [1, "1 day"],
    [7, "7 days"],
    [30, "30 days"],
    [3_650, "30 days"],
  ])("where events are kept for %i days, is at most %s old", (retentionDays, bound) => {
    const oldest = NOW - Number.parseInt(bound, 10) * DAY_MS;
    expect(errorsOf({ timestamp: String(oldest) }, retentionDays)).toEqual([]);
    const tooOld = [`timestamp: must be at most ${bound} old`];
    expect(errorsOf({ timestamp: String(oldest - 1) }, retentionDays)).toEqual(tooOld);
  });

  it.each(["0001-01-01 00:00:00", "9999-12-31 23:59:59", "1", "yesterday", "2026-02-30 00:00:00"])(
    "is not %s",
    (timestamp) => {
      expect(errorsOf({ timestamp }).join()).toMatch(/^timestamp: must be/);
    },
  );
});

describe("the key of an event", () => {
  it.each([
    ["sk_live_0123456789abcdef", "********abcdef"],
    ["a-short-key", "********"],
    ["********abcdef", "********abcdef"],
    ["sk_…abcdef", "********bcdef"],
    ["sk_live_0123456789•••abcd", "********abcd"],
    ["****abcdef", "********bcdef"],
    ["sk_live_0123456789abcdef****", "********"],
    [`${"x".repeat(20)}🗝abcde`, "********abcde"],
  ])("%s is kept as %s", (apiKey, kept) => {
    expect(check({ apiKey }).event.apiKey).toBe(kept);
  });
});

describe("a body", () => {
  const bytesOf = (text: string) => Buffer.byteLength(text);

  it.each(["x", "ü", "あ", "🗝"])("of %s is cut at 2,048 bytes, between two characters", (character) => {
    const { requestBody } = check({ requestBody: character.repeat(3_000) }).event;
    expect(requestBody).toBe(character.repeat(Math.floor(2_048 / bytesOf(character))));
    expect(check({ requestBody: `a${requestBody}` }).event.requestBody.isWellFormed()).toBe(true);
    expect(check({ requestBody }).event.requestBody).toBe(requestBody);
  });
});

describe("headers", () => {
  const headersOf = (requestHeaders: string) => check({ requestHeaders });

  it("are kept as they were sent, if there is nothing to leave out", () => {
    const text = '{ "Accept": ["*/*", "text/html"], "X-Count": 1, "": null }';
    expect(headersOf(text)).toMatchObject({ event: { requestHeaders: text }, errors: [] });
  });

  it.each(["Authorization", "COOKIE", "proxy-authorization", "Set-Cookie", "x-Api-Key", " Cookie "])(
    "are kept without %s, at whatever depth and however it is written",
    (name) => {
      const headers = { [name]: "secret", keep: 1, inner: { [name]: ["secret"], deep: [{ [name]: "secret" }] } };
      const kept = '{"keep":1,"inner":{"deep":[{}]}}';
      const escaped = JSON.stringify(headers).replaceAll(
        name,
        [...name].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(""),
      );
      for (const text of [JSON.stringify(headers), escaped]) expect(headersOf(text).event.requestHeaders).toBe(kept);
    },
  );

  it.each(["[]", "null", "text", '"text"', "{", "{\0}", "1"])("are not %j", (text) => {
    expect(headersOf(text).errors).toEqual(["requestHeaders: must be the JSON text of an object"]);
  });

  it("are at most 16,384 bytes, without what is left out", () => {
    const text = (length: number, more = {}) => JSON.stringify({ ...more, x: "ü".repeat(length) });
    expect(headersOf(text(8_188)).errors).toEqual([]);
    expect(headersOf(text(8_189)).errors).toEqual(["requestHeaders: must be at most 16384 bytes"]);
    expect(headersOf(text(500_000)).errors).toEqual(["requestHeaders: must be at most 16384 bytes"]);
    expect(headersOf(text(8_188, { cookie: "x".repeat(1_000_000) })).errors).toEqual([]);
  });

  it("of a million levels are refused like any other that are no object", () => {
    const text = `{"cookie":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    expect(headersOf(text).errors).toHaveLength(1);
  });
});
