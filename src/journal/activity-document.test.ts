import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { toActivityDocument } from "./activity-document.ts";
import { type ActivityEvent, readRows, writeRows } from "./activity-event.ts";

const EVENT: ActivityEvent = {
  requestId: "req_1",
  at: 1_700_000_000_123,
  code: "VALID",
  creditsCharged: 2,
  creditsRemaining: 98,
  latencyMs: 1.25,
  count: 1,
  projectId: "project_1",
  keyId: "key_1",
  apiKey: "ks_…abcdef",
  consumerId: "consumer_1",
  consumerName: "Zoë",
  apiId: "api_1",
  apiName: "Weather",
  endpoint: "/v1",
  method: "GET",
  clientIp: "192.0.2.1",
  userAgent: "curl",
  country: "DE",
  region: "BY",
};
const NO_TEXTS = {
  ...{ keyId: "", apiKey: "", consumerId: "", consumerName: "", apiId: "", apiName: "", endpoint: "", method: "" },
  ...{ clientIp: "", userAgent: "", country: "", region: "" },
};

describe("a document of key_activity", () => {
  it("has everything of its event, and the status code of the verdict", () => {
    const { at, count, ...rest } = EVENT;
    expect(toActivityDocument(EVENT)).toStrictEqual({ ...rest, at: new Date(at), statusCode: 200 });
  });

  it("leaves out empty texts, but not the unlimited pool of null", () => {
    expect(toActivityDocument({ ...EVENT, ...NO_TEXTS, creditsRemaining: null, code: "NOT_FOUND" })).toStrictEqual({
      ...{ at: new Date(EVENT.at), projectId: "project_1", requestId: "req_1", code: "NOT_FOUND", statusCode: 401 },
      ...{ creditsCharged: 2, creditsRemaining: null, latencyMs: 1.25 },
    });
  });

  it("has a count only where it stands for more verdicts than one", () => {
    expect(toActivityDocument(EVENT)).not.toHaveProperty("count");
    expect(toActivityDocument({ ...EVENT, count: 7 })).toMatchObject({ count: 7 });
  });

  it("is made of a row with every value in its place", () => {
    expect(readRows(writeRows([EVENT]))).toStrictEqual([EVENT]);
  });

  it("is made of rows of an earlier version, which lack the last columns", () => {
    const rows = JSON.parse(writeRows([EVENT])) as unknown[][];
    const [event] = readRows(JSON.stringify(rows.map((row) => row.slice(0, -2))));
    const { country, region, at, count, ...rest } = EVENT;
    expect(event && toActivityDocument(event)).toStrictEqual({ ...rest, at: new Date(at), statusCode: 200 });
  });

  it("has a status code for every verdict", () => {
    const proto = readFileSync(resolve(import.meta.dirname, "../../proto/keysvc/v1/key.proto"), "utf8");
    const codes = [...proto.matchAll(/VERDICT_CODE_\w+ = \d+ \[\(word\) = "(\w+)"\]/g)].map(([, word = ""]) => word);
    const statusOf = (code: string) => toActivityDocument({ ...EVENT, code }).statusCode;
    expect(Object.fromEntries(codes.map((code) => [code, statusOf(code)]))).toEqual({
      ...{ VALID: 200, NOT_FOUND: 401, KEY_EXPIRED: 401, RATE_LIMITED: 429, USAGE_EXCEEDED: 429 },
      ...{ KEY_DISABLED: 403, CONSUMER_DISABLED: 403, CONSUMER_EXPIRED: 403, API_NOT_ALLOWED: 403 },
    });
  });

  it("is refused without a time", () => {
    expect(() => toActivityDocument({ ...EVENT, at: Number.NaN })).toThrow(/time/);
    expect(() => readRows("[{}").map(toActivityDocument)).toThrow();
  });
});
