import { describe, expect, it } from "vitest";
import {
  AnalyticsServiceLogsDetailRequestSchema,
  AnalyticsServiceStatsRequestSchema,
} from "../../gen/keysvc/v1/analytics_pb.js";
import { ConsumerServiceUpdateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import { PlanServiceUpdateRequestSchema } from "../../gen/keysvc/v1/plan_pb.js";
import { decodeJson } from "./decode-json.ts";

/** The mask of an update of a consumer. */
function maskOf(json: object): string[] | undefined {
  const { message, errors } = decodeJson(ConsumerServiceUpdateRequestSchema, json);
  expect(errors).toEqual([]);
  return Reflect.get(message, "updateMask")?.paths;
}

describe("the update mask of /consumer/update", () => {
  it("has no path for fields that are absent, and is there all the same", () => {
    expect(maskOf({ consumerId: "consumer_1" })).toEqual([]);
  });

  it("has the fields that are sent, in the spelling of the proto file", () => {
    const json = { consumerId: "c", name: "n", planId: "p", webhookUrl: "w", imageUrl: "i", externalId: "e", tags: [] };
    expect(maskOf(json)).toEqual(["name", "plan_id", "webhook_url", "image_url", "external_id", "tags"]);
  });

  it("has a null as a path without a value", () => {
    const json = { consumerId: "c", name: null, metadata: null, expiresAt: null, rateLimit: null, tags: null };
    const { message } = decodeJson(ConsumerServiceUpdateRequestSchema, json);
    expect(message).toMatchObject({
      tags: [],
      updateMask: { paths: ["name", "metadata", "expires_at", "rate_limit", "tags"] },
    });
    for (const name of ["name", "metadata", "expiresAt", "rateLimit"]) expect(message).not.toHaveProperty(name);
  });

  it("never has the consumer's id, not even as null", () => {
    expect(maskOf({ consumerId: "c", status: "active" })).toEqual(["status"]);
    expect(maskOf({ consumerId: null, status: "active" })).toEqual(["status"]);
  });

  it("goes into credits, which are merged field by field", () => {
    const credits = { limit: 5, used: 0, shadowLimit: null, expiresAt: null };
    const { message } = decodeJson(ConsumerServiceUpdateRequestSchema, { consumerId: "c", credits });
    expect(message).toMatchObject({
      credits: { limit: 5n, used: 0n },
      updateMask: { paths: ["credits.limit", "credits.used", "credits.shadow_limit", "credits.expires_at"] },
    });
  });

  it("has null credits as the path credits", () => {
    expect(maskOf({ consumerId: "c", credits: null })).toEqual(["credits"]);
  });

  it("has a null in credits as the path of the field, and keeps the credits", () => {
    expect(maskOf({ consumerId: "c", credits: { refill: null, overage: null } })).toEqual([
      "credits.refill",
      "credits.overage",
    ]);
  });

  it("ends at refill, overage, carryover and rateLimit, which are replaced as a whole", () => {
    const json = {
      consumerId: "c",
      credits: {
        refill: { every: "1d", refillCredit: 1, carryover: { enabled: true, max: null } },
        overage: { enabled: false },
        carryover: { enabled: false },
      },
      rateLimit: { limit: 1, window: null },
    };
    expect(maskOf(json)).toEqual(["credits.refill", "credits.overage", "credits.carryover", "rate_limit"]);
  });

  it("has nothing for empty credits", () => {
    expect(maskOf({ consumerId: "c", credits: {} })).toEqual([]);
  });

  it("is none of the caller's names", () => {
    const { errors } = decodeJson(ConsumerServiceUpdateRequestSchema, { consumerId: "c", updateMask: "name" });
    expect(errors).toEqual([{ field: "updateMask", message: "unknown field" }]);
  });

  it("does not keep errors in merged credits from being named", () => {
    const { errors } = decodeJson(ConsumerServiceUpdateRequestSchema, {
      credits: { limit: "5", bogus: 1, refill: { every: 1, bogus: null } },
    });
    expect(errors.map(({ field }) => field)).toEqual([
      "credits.limit",
      "credits.bogus",
      "credits.refill.every",
      "credits.refill.bogus",
    ]);
    for (const credits of [5, [], "x"]) {
      expect(decodeJson(ConsumerServiceUpdateRequestSchema, { credits }).errors).toEqual([
        { field: "credits", message: "must be an object" },
      ]);
    }
  });
});

it("the update mask of /plan/update has what follows it, and not how the change is applied", () => {
  const json = { planId: "p", applyToConsumers: true, name: "n", credits: { limit: 5 }, rateLimit: null };
  const { message, errors } = decodeJson(PlanServiceUpdateRequestSchema, json);
  expect(errors).toEqual([]);
  expect(message).toMatchObject({
    applyToConsumers: true,
    credits: { limit: 5n },
    updateMask: { paths: ["name", "credits", "rate_limit"] },
  });
});

describe("analytics filters", () => {
  const decode = (filters: unknown) =>
    decodeJson(AnalyticsServiceStatsRequestSchema, JSON.parse(JSON.stringify({ filters })));

  it("take a value for a list of one", () => {
    expect(decode({ endpoint: "/a", method: "GET", consumer: "c", statusCode: 404 })).toMatchObject({
      errors: [],
      message: { filters: { endpoint: ["/a"], method: ["GET"], consumer: ["c"], statusCode: [404] } },
    });
  });

  it("take a list as it is, and null as nothing", () => {
    expect(decode({ endpoint: ["/a", "/b"], method: [], clientIp: null })).toMatchObject({
      errors: [],
      message: { filters: { endpoint: ["/a", "/b"], method: [], clientIp: [] } },
    });
  });

  it("take statuses as numbers and as digits", () => {
    expect(decode({ statusCode: ["404", 500, "007"] })).toMatchObject({
      errors: [],
      message: { filters: { statusCode: [404, 500, 7] } },
    });
  });

  it.each(["", "abc", "4xx", "-1", "1.5", "1e3", " 404", "9999999999999999", true, {}, [404]])(
    "refuse the status %j",
    (value) => {
      const { errors } = decode({ statusCode: [200, value] });
      expect(errors.map(({ field }) => field)).toEqual(["filters.statusCode[1]"]);
    },
  );

  it("name a lone value by the field, and an element by its index", () => {
    expect(decode({ endpoint: 5, method: ["GET", 5] }).errors).toEqual([
      { field: "filters.endpoint", message: "must be a string" },
      { field: "filters.method[1]", message: "must be a string" },
    ]);
  });
});

it("the timestamp of a log row may be a number or a text", () => {
  const decode = (timestamp: unknown) => decodeJson(AnalyticsServiceLogsDetailRequestSchema, { timestamp });
  expect(decode(1_767_225_600)).toMatchObject({ errors: [], message: { timestamp: "1767225600" } });
  expect(decode("2026-01-01 00:00:00")).toMatchObject({ errors: [], message: { timestamp: "2026-01-01 00:00:00" } });
  expect(decode(true).errors).toEqual([{ field: "timestamp", message: "must be a string or a number" }]);
});
