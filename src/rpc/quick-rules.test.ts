import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import { ConsumerServiceCreateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import {
  KeyServiceCreateRequestSchema,
  KeyServiceValidateBatchRequestSchema,
  KeyServiceValidateRequestSchema,
} from "../../gen/keysvc/v1/key_pb.js";
import { checkThoroughly } from "./field-rules.ts";
import { isSurelyGood } from "./quick-rules.ts";

/** Lengths around every bound of the proto files. */
const LENGTHS = [0, 1, 2, 32, 33, 63, 64, 65, 128, 129, 256, 257, 1_024, 1_025, 2_048, 2_049, 8_192, 8_193, 16_384];
const INTEGERS = [-1n, 0n, 1n, 2n, 25n, 100n, 101n, 999n, 1_000n, 1_001n, 86_400n, 86_401n, 2n ** 31n - 1n];
const LARGE = [2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n, 253_402_300_799_999n, 253_402_300_800_000n];

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "grapheme-ascii" }),
  fc
    .tuple(fc.constantFrom("a", "é", "€", "😀", " ", "\ud83d", "f", "_"), fc.constantFrom(...LENGTHS))
    .map(([unit, length]) => unit.repeat(length)),
);

/** Any value of a message, good ones and bad ones. */
function anyMessage(schema: DescMessage): fc.Arbitrary<Message> {
  const fields = schema.fields.map((field) => [field.localName, fc.option(anyValue(field), { nil: undefined })]);
  return fc.record(Object.fromEntries(fields)).map((init) => create(schema, init));
}

function anyValue(field: DescField): fc.Arbitrary<unknown> {
  const { scalar, message, fieldKind } = field;
  const item = message === undefined ? anyScalar(scalar) : anyNested(message);
  return fieldKind === "list" ? fc.array(item, { maxLength: 3 }) : item;
}

function anyScalar(scalar: ScalarType | undefined): fc.Arbitrary<unknown> {
  if (scalar === ScalarType.STRING) return text;
  if (scalar === ScalarType.BOOL) return fc.boolean();
  if (scalar === ScalarType.DOUBLE) return fc.double();
  if (scalar === ScalarType.INT64) return fc.constantFrom(...INTEGERS, ...LARGE);
  if (scalar === ScalarType.INT32) return fc.constantFrom(...INTEGERS.map(Number));
  // An enum, with numbers that have no name.
  return fc.integer({ min: -1, max: 12 });
}

function anyNested(message: DescMessage): fc.Arbitrary<unknown> {
  if (message.typeName === "google.protobuf.Struct") return fc.dictionary(text, text, { maxKeys: 2 });
  return anyMessage(message);
}

describe("isSurelyGood", () => {
  it.each([...new Set(methods.map(({ rpc }) => rpc.input))].map((schema) => [schema.typeName, schema] as const))(
    "never passes a %s that the thorough checks refuse",
    (_name, schema) => {
      fc.assert(
        fc.property(anyMessage(schema), (message) => {
          if (isSurelyGood(schema, message)) expect(checkThoroughly(schema, message)).toEqual([]);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("passes what is good, so that the thorough checks are seldom needed", () => {
    const validate = KeyServiceValidateRequestSchema;
    const all = { key: "k", apiId: "a", credits: 0n, requestId: "r-1", endpoint: "/x", method: "GET" };
    expect(isSurelyGood(validate, create(validate, { key: "k" }))).toBe(true);
    expect(isSurelyGood(validate, create(validate, { ...all, clientIp: "::1", userAgent: "é", country: "DE" }))).toBe(
      true,
    );
    const consumer = ConsumerServiceCreateRequestSchema;
    const full = { name: "n", tags: ["a"], metadata: { a: [1] }, rateLimit: { limit: 1n, window: 60 } };
    expect(isSurelyGood(consumer, create(consumer, full))).toBe(true);
  });

  it("counts the elements of a list, which the messages above are too short for", () => {
    const consumer = ConsumerServiceCreateRequestSchema;
    const tagged = (count: number) => create(consumer, { tags: Array.from({ length: count }, () => "a") });
    expect([1_000, 1_001].map((count) => isSurelyGood(consumer, tagged(count)))).toEqual([true, false]);
    const batch = KeyServiceValidateBatchRequestSchema;
    const asked = (count: number) => create(batch, { requests: Array.from({ length: count }, () => ({ key: "k" })) });
    expect([0, 1, 100, 101].map((count) => isSurelyGood(batch, asked(count)))).toEqual([false, true, true, false]);
  });

  it("leaves what it cannot tell to the thorough checks: a pattern with a group", () => {
    const key = KeyServiceCreateRequestSchema;
    const message = create(key, { consumerId: "consumer_1", prefix: "sk_live" });
    expect(isSurelyGood(key, message)).toBe(false);
    expect(checkThoroughly(key, message)).toEqual([]);
  });
});
