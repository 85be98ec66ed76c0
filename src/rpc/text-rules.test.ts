import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ConsumerServiceCreateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import { IngestServiceIngestRequestSchema } from "../../gen/keysvc/v1/ingest_pb.js";
import { KeyServiceImportRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import { isSurelyGood } from "./quick-rules.ts";
import { checkText } from "./text-rules.ts";

const MAX_BYTES = 65_536;
const HIGH = "\ud83d";
const LOW = "\ude00";

/** What is wrong with metadata, as `field: message`. */
function problems(metadata: JsonObject): string[] {
  const message = create(ConsumerServiceCreateRequestSchema, { metadata });
  return checkText(ConsumerServiceCreateRequestSchema, message).map(({ field, message: text }) => `${field}: ${text}`);
}

/** Metadata of so many levels, itself the first. */
function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

describe("metadata", () => {
  it("may be 65,536 bytes as JSON, and not one more", () => {
    // {"a":"…"} is 8 bytes around the text.
    expect(problems({ a: "x".repeat(MAX_BYTES - 8) })).toEqual([]);
    expect(problems({ a: "x".repeat(MAX_BYTES - 7) })).toEqual(["metadata: must be at most 65536 bytes as JSON"]);
  });

  it("is counted in bytes of UTF-8, with what JSON escapes", () => {
    expect(problems({ a: "é".repeat((MAX_BYTES - 8) / 2) })).toEqual([]);
    expect(problems({ a: `${"é".repeat((MAX_BYTES - 8) / 2)}x` })).toHaveLength(1);
    expect(problems({ a: '"'.repeat((MAX_BYTES - 8) / 2) })).toEqual([]);
    expect(problems({ a: `${'"'.repeat((MAX_BYTES - 8) / 2)}x` })).toHaveLength(1);
  });

  it("may have 32 levels, and not 33", () => {
    expect(problems(nested(32))).toEqual([]);
    expect(problems(nested(33))).toEqual(["metadata: must have at most 32 levels"]);
  });

  it("counts lists as levels, and values that are neither as none", () => {
    const lists = (depth: number) => JSON.parse(`{"a":${"[".repeat(depth)}1${"]".repeat(depth)}}`) as JsonObject;
    expect(problems(lists(31))).toEqual([]);
    expect(problems(lists(32))).toEqual(["metadata: must have at most 32 levels"]);
  });

  it("of half a million levels is refused like one of 33", () => {
    const text = `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`;
    expect(problems(JSON.parse(text))).toEqual(["metadata: must have at most 32 levels"]);
  });

  it("must not have a NUL in a key, at any level", () => {
    expect(problems({ "a\0b": 1 })).toEqual(["metadata: must not have a NUL in a key"]);
    expect(problems({ a: [{ "\0": 1 }] })).toEqual(["metadata: must not have a NUL in a key"]);
  });

  it("may have a NUL in a value", () => {
    expect(problems({ a: "x\0y", b: ["\0"] })).toEqual([]);
  });

  it("must not have a lone surrogate, in a key or in a text at any level", () => {
    expect(problems({ [`a${HIGH}`]: 1 })).toEqual(["metadata: has a lone surrogate in a key"]);
    expect(problems({ a: { [LOW]: 1 } })).toEqual(["metadata: has a lone surrogate in a key"]);
    expect(problems({ a: [1, { b: `${HIGH}x` }] })).toEqual(["metadata: has a lone surrogate in a text"]);
    expect(problems({ a: `${LOW}${HIGH}` })).toEqual(["metadata: has a lone surrogate in a text"]);
  });

  it("may have surrogates in pairs, and any key without a NUL", () => {
    const keys = JSON.parse('{"__proto__":{"x":1},"":1,"$set":{"$inc":1},"a.b":1}') as JsonObject;
    expect(problems({ ...keys, [`${HIGH}${LOW}`]: `${HIGH}${LOW}` })).toEqual([]);
    expect(problems(JSON.parse('{"__proto__":{"a\\u0000":1}}'))).toEqual(["metadata: must not have a NUL in a key"]);
  });
});

describe("texts", () => {
  it("must not have a lone surrogate, and each is named by its path in camelCase", () => {
    const message = create(ConsumerServiceCreateRequestSchema, {
      name: HIGH,
      webhookUrl: `x${LOW}`,
      tags: ["good", LOW],
      credits: { refill: { every: HIGH } },
    });
    const errors = checkText(ConsumerServiceCreateRequestSchema, message);
    expect(errors.map(({ field }) => field).sort()).toEqual(["credits.refill.every", "name", "tags[1]", "webhookUrl"]);
    expect(new Set(errors.map(({ message: text }) => text))).toEqual(
      new Set(["must be well-formed Unicode; it has a lone surrogate"]),
    );
  });

  it("are found in the messages of a list", () => {
    const message = create(KeyServiceImportRequestSchema, { keys: [{ name: "a" }, { name: HIGH }] });
    expect(checkText(KeyServiceImportRequestSchema, message).map(({ field }) => field)).toEqual(["keys[1].name"]);
  });

  it("are left to the method where it judges each element alone", () => {
    const message = create(IngestServiceIngestRequestSchema, { events: [{ method: HIGH }] });
    expect(checkText(IngestServiceIngestRequestSchema, message)).toEqual([]);
    expect(isSurelyGood(IngestServiceIngestRequestSchema, message)).toBe(true);
  });

  it("may have a NUL and every character outside the basic plane", () => {
    const message = create(ConsumerServiceCreateRequestSchema, { name: `a\0${HIGH}${LOW}`, tags: ["\0"] });
    expect(checkText(ConsumerServiceCreateRequestSchema, message)).toEqual([]);
  });
});
