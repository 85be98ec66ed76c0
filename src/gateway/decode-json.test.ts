import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AnalyticsServiceLogsRequestSchema } from "../../gen/keysvc/v1/analytics_pb.js";
import {
  ConsumerServiceCreateRequestSchema,
  ConsumerServiceDeleteRequestSchema,
  ConsumerServiceDetailsRequestSchema,
  ConsumerServiceListRequestSchema,
  ConsumerServiceUpdateRequestSchema,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { IngestServiceIngestRequestSchema, TrafficEventSchema } from "../../gen/keysvc/v1/ingest_pb.js";
import { KeyServiceImportRequestSchema, KeyServiceValidateRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import { ProjectServiceCredentialCreateRequestSchema } from "../../gen/keysvc/v1/project_pb.js";
import { decodeJson } from "./decode-json.ts";

/** The errors of a request as `field: message`. */
function errorsOf(schema: DescMessage, json: unknown): string[] {
  return decodeJson(schema, json).errors.map(({ field, message }) => `${field}: ${message}`);
}
const create = ConsumerServiceCreateRequestSchema;
const update = ConsumerServiceUpdateRequestSchema;

describe("the body", () => {
  it.each([[[]], [null], ["{}"], [1], [true]])("must be an object: %j is not", (json) => {
    expect(errorsOf(create, json)).toEqual([": the body must be a JSON object"]);
  });

  it("may be empty", () => {
    expect(decodeJson(create, {})).toMatchObject({ errors: [], message: { tags: [] } });
  });
});

describe("unknown fields", () => {
  it.each<[string, DescMessage, unknown, string]>([
    ["at the top", create, { nam: 1 }, "nam"],
    ["with null as a value", create, { nam: null }, "nam"],
    ["in a message", create, { credits: { x: 1 } }, "credits.x"],
    ["two messages deep", create, { credits: { refill: { carryover: { y: 1 } } } }, "credits.refill.carryover.y"],
    ["in an element of a list", KeyServiceImportRequestSchema, { keys: [{}, { z: 1 }] }, "keys[1].z"],
    ["in the spelling of the proto file", create, { plan_id: "p" }, "plan_id"],
    ["in another case", create, { Name: "p" }, "Name"],
    ["of an update mask where there is none", create, { updateMask: "name" }, "updateMask"],
    ["named __proto__", create, JSON.parse('{"__proto__": {"name": "x"}}'), "__proto__"],
    ["named constructor", create, { constructor: 1 }, "constructor"],
    ["named toString, in a message", create, { credits: { toString: 1 } }, "credits.toString"],
    ["named $typeName, the library's own", create, { $typeName: "x" }, "$typeName"],
    ["without a name", create, { "": 1 }, ""],
  ])("are named %s", (_title, schema, json, field) => {
    expect(decodeJson(schema, json).errors).toEqual([{ field, message: "unknown field" }]);
  });

  it("are repeated no longer than people would send them", () => {
    const [error] = decodeJson(create, { ["x".repeat(1_000_000)]: 1 }).errors;
    expect(error?.field.length).toBe(101);
  });
});

it("all errors of a request are reported together, at every depth", () => {
  const json = {
    nam: 1,
    name: 5,
    credits: { limit: "5", refill: { every: 1, refillCredit: 1.5, extra: 1 }, carryover: [] },
    tags: ["a", 1, "b", null],
    status: "gone",
    expiresAt: "2026-02-30",
    metadata: [],
  };
  expect(decodeJson(create, json).errors.map(({ field }) => field)).toEqual([
    "nam",
    "name",
    "credits.limit",
    "credits.refill.every",
    "credits.refill.refillCredit",
    "credits.refill.extra",
    "credits.carryover",
    "tags[1]",
    "tags[3]",
    "status",
    "expiresAt",
    "metadata",
  ]);
});

describe("wrong types", () => {
  const values = [5, true, "x", [], {}, 1.5];
  const time = "must be an ISO 8601 time such as 2026-01-31T12:00:00Z";
  const word = 'must be one of "active", "disabled"';
  it.each<[string, DescMessage, string, string, unknown[]]>([
    ["a string", create, "name", "must be a string", ["x"]],
    ["a bool", ConsumerServiceDeleteRequestSchema, "permanent", "must be true or false", [true]],
    ["an object", create, "credits", "must be an object", [{}]],
    ["metadata", create, "metadata", "must be an object", [{}]],
    ["a list", create, "tags", "must be an array", [[]]],
    ["a time", create, "expiresAt", time, []],
    ["a word", create, "status", word, []],
  ])("%s refuses every other kind of value", (_title, schema, field, message, good) => {
    for (const value of values.filter((candidate) => !good.includes(candidate) || typeof candidate === "object")) {
      const isGood = good.some((candidate) => JSON.stringify(candidate) === JSON.stringify(value));
      expect(errorsOf(schema, { [field]: value }), JSON.stringify(value)).toEqual(
        isGood ? [] : [`${field}: ${message}`],
      );
    }
  });

  it.each([0, true, null, {}])("an element of a list is named by its index: %j", (value) => {
    expect(errorsOf(create, { tags: ["a", value] })).toEqual(["tags[1]: must be a string"]);
  });

  it("a double takes any number, and no text", () => {
    const decode = (latencyMs: unknown) => errorsOf(TrafficEventSchema, { latencyMs });
    expect([0, 1.5, -1, 1e300].flatMap(decode)).toEqual([]);
    expect(decode("1")).toEqual(["latencyMs: must be a number"]);
  });
});

describe("integers", () => {
  const decodeLong = (text: string) => decodeJson(KeyServiceValidateRequestSchema, JSON.parse(`{"credits": ${text}}`));
  const decodeInt = (text: string) =>
    decodeJson(AnalyticsServiceLogsRequestSchema, JSON.parse(`{"pageSize": ${text}}`));

  it.each([
    ["1", 1n],
    ["1.0", 1n],
    ["1e3", 1_000n],
    ["0", 0n],
    ["-0", 0n],
    ["-1", -1n],
    ["9007199254740991", 9_007_199_254_740_991n],
    ["-9007199254740991", -9_007_199_254_740_991n],
  ])("%s is %s in 64 bits", (text, expected) => {
    expect(decodeLong(text)).toMatchObject({ errors: [], message: { credits: expected } });
  });

  it.each([
    ["1.5", "must be an integer"],
    ["1e-3", "must be an integer"],
    ["9007199254740992", "must be between 0 and 9007199254740991"],
    ["-9007199254740992", "must be between 0 and 9007199254740991"],
    ["1e400", "must be between 0 and 9007199254740991"],
    ["-1e400", "must be between 0 and 9007199254740991"],
    ['"5"', "must be a number"],
    ["true", "must be a number"],
    ["[5]", "must be a number"],
    ["{}", "must be a number"],
  ])("%s is refused in 64 bits", (text, message) => {
    expect(decodeLong(text).errors).toEqual([{ field: "credits", message }]);
  });

  it("in 32 bits end at 2^31 - 1", () => {
    expect(decodeInt("2147483647")).toMatchObject({ errors: [], message: { pageSize: 2_147_483_647 } });
    for (const text of ["2147483648", "-2147483648", "1e400"]) {
      expect(decodeInt(text).errors, text).toEqual([{ field: "pageSize", message: "must be between 1 and 200" }]);
    }
    expect(decodeInt('"5"').errors).toEqual([{ field: "pageSize", message: "must be a number" }]);
  });

  it("refused leave the field unset", () => {
    expect(decodeLong('"5"').message).not.toHaveProperty("credits");
  });
});

describe("enums", () => {
  it.each([
    ["active", 1],
    ["disabled", 2],
    ["deleted", 3],
  ])("are words: %s", (status, expected) => {
    expect(decodeJson(create, { status })).toMatchObject({ errors: [], message: { status: expected } });
  });

  it("may have words of their own", () => {
    expect(decodeJson(ConsumerServiceListRequestSchema, { sortBy: "creditsUsed" })).toMatchObject({
      errors: [],
      message: { sortBy: 4 },
    });
  });

  it("that are unknown are told the words that the field takes, without those that its rules exclude", () => {
    const words = 'scopes[0]: must be one of "manage", "read", "validate", "ingest"';
    expect(errorsOf(ProjectServiceCredentialCreateRequestSchema, { scopes: ["foo"] })).toEqual([words]);
    expect(errorsOf(update, { status: "gone" })).toEqual(['status: must be one of "active", "disabled", "deleted"']);
  });

  it.each(["ACTIVE", "CONSUMER_STATUS_ACTIVE", "unspecified", "", "null", "0", 1, 0])("%j is no word", (status) => {
    expect(errorsOf(create, { status })).toEqual(['status: must be one of "active", "disabled"']);
  });
});

it("null is the same as absent in a request without an update mask", () => {
  const nulls = ["name", "credits", "planId", "rateLimit", "tags", "webhookUrl", "metadata", "status", "expiresAt"];
  const decoded = decodeJson(create, Object.fromEntries(nulls.map((name) => [name, null])));
  expect(decoded).toEqual(decodeJson(create, {}));
  expect(decodeJson(ConsumerServiceDetailsRequestSchema, { consumerId: null })).toMatchObject({
    errors: [],
    message: { consumerId: "" },
  });
  expect(decodeJson(create, { credits: { limit: null, refill: null } })).toEqual(decodeJson(create, { credits: {} }));
});

describe("bodies of a megabyte in depth", () => {
  const brackets = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
  const objects = `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`;
  it.each([
    ["brackets as a name", `{"name":${brackets}}`, ["name: must be a string"]],
    ["brackets as a list", `{"tags":${brackets}}`, ["tags[0]: must be a string"]],
    ["brackets as a number", `{"credits":{"limit":${brackets}}}`, ["credits.limit: must be a number"]],
    ["brackets as a message", `{"credits":${brackets}}`, ["credits: must be an object"]],
    ["brackets as a word", `{"status":${brackets}}`, ['status: must be one of "active", "disabled"']],
    ["brackets in an unknown field", `{"nam":${brackets}}`, ["nam: unknown field"]],
    ["objects as a message", `{"credits":${objects}}`, ["credits.a: unknown field"]],
    ["objects as metadata, which the field rules bound", `{"metadata":${objects}}`, []],
    ["brackets in metadata, which the field rules bound", `{"metadata":{"a":${brackets}}}`, []],
  ])("do not exhaust the stack: %s", (_title, text, errors) => {
    expect(errorsOf(create, JSON.parse(text))).toEqual(errors);
  });
});

describe("a list whose elements are read each alone", () => {
  const decode = (events: unknown) => {
    const { message, errors, elementErrors } = decodeJson(IngestServiceIngestRequestSchema, { events });
    const { events: read } = message as MessageShape<typeof IngestServiceIngestRequestSchema>;
    return { read, errors, told: read.map((event) => elementErrors.get(event)) };
  };

  it("tells what is wrong within an element with that element, and reads the others", () => {
    const { read, errors, told } = decode([{ method: "GET" }, { method: 5, bogus: 1 }, "text", { statusCode: 200 }]);
    expect(errors).toEqual([]);
    expect(read.map(({ method, statusCode }) => statusCode ?? method)).toEqual(["GET", "", "", 200]);
    expect(told).toEqual([
      undefined,
      [
        { field: "method", message: "must be a string" },
        { field: "bogus", message: "unknown field" },
      ],
      [{ field: "", message: "must be an object" }],
      undefined,
    ]);
  });

  it("refuses the request when it is no list", () => {
    expect(decode({}).errors).toEqual([{ field: "events", message: "must be an array" }]);
  });

  it("is read no further than the rule of its length needs, which then says that it is too long", () => {
    const { read, errors } = decode(Array(1_000_000).fill(1));
    expect([read.length, errors]).toEqual([1_001, []]);
  });
});
