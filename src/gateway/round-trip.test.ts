import type { DescMessage } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConsumerServiceCreateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import { CreditsSchema } from "../../gen/keysvc/v1/credits_pb.js";
import { IngestServiceIngestRequestSchema } from "../../gen/keysvc/v1/ingest_pb.js";
import { KeyServiceValidateBatchResponseSchema } from "../../gen/keysvc/v1/key_pb.js";
import { decodeJson } from "./decode-json.ts";
import { encodeJson } from "./encode-json.ts";

/** Decodes and encodes, by way of JSON text on both sides, as the gateway does. */
function roundTrip(schema: DescMessage, json: unknown): unknown {
  const { message, errors } = decodeJson(schema, JSON.parse(JSON.stringify(json)));
  expect(errors).toEqual([]);
  return JSON.parse(encodeJson(schema, message));
}

const amount = fc.maxSafeNat();
const text = fc.string({ unit: "binary", maxLength: 20 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const time = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const carryover = fc.record({ enabled: orNull(fc.boolean()), max: orNull(amount) });
const policy = fc.constantFrom("reset", "add", null);
const metadata = fc.dictionary(
  fc.oneof(text, fc.constantFrom("__proto__", "", "$set", "a.b", "constructor", "toJSON")),
  fc.jsonValue(),
);

const CONSUMER = fc.record({
  name: orNull(text),
  credits: orNull(
    fc.record({
      limit: orNull(amount),
      shadowLimit: orNull(amount),
      overage: orNull(fc.record({ enabled: orNull(fc.boolean()), limit: orNull(amount) })),
      refill: orNull(
        fc.record({
          every: orNull(text),
          refillCredit: orNull(amount),
          refillPolicy: policy,
          carryover: orNull(carryover),
        }),
      ),
      carryover: orNull(carryover),
      expiresAt: orNull(amount),
    }),
  ),
  planId: orNull(text),
  rateLimit: orNull(fc.record({ limit: orNull(amount), window: orNull(fc.nat()) })),
  tags: fc.array(text),
  webhookUrl: orNull(text),
  metadata: orNull(metadata),
  imageUrl: orNull(text),
  externalId: orNull(text),
  status: fc.constantFrom("active", "disabled", "deleted", null),
  expiresAt: orNull(time),
});

const CREDITS = fc.record({
  limit: amount,
  used: amount,
  remaining: amount,
  overageUsed: amount,
  shadowLimit: orNull(amount),
  overage: fc.constant(null),
  refill: orNull(
    fc.record({
      every: text,
      refillCredit: amount,
      refillPolicy: policy,
      carryover: orNull(carryover),
      nextRefillAt: amount,
    }),
  ),
  expiresAt: orNull(amount),
});

/** A verdict; retryAfterSeconds is left out when it is unset. */
const VERDICT = fc.record(
  {
    valid: fc.boolean(),
    code: fc.constantFrom("VALID", "NOT_FOUND", "USAGE_EXCEEDED"),
    requestId: text,
    keyId: orNull(text),
    apiId: orNull(text),
    consumer: fc.constant(null),
    credits: fc.constant(null),
    rateLimit: orNull(fc.record({ limit: amount, window: fc.nat(), remaining: amount, resetAt: amount })),
    retryAfterSeconds: amount,
  },
  {
    requiredKeys: ["valid", "code", "requestId", "keyId", "apiId", "consumer", "credits", "rateLimit"],
  },
);

describe("encodeJson of decodeJson keeps", () => {
  it("a new consumer, whatever its texts and metadata are", () => {
    fc.assert(
      fc.property(CONSUMER, (json) => {
        // -0 is 0 in JSON text.
        expect(roundTrip(ConsumerServiceCreateRequestSchema, json)).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  it("a pool", () => {
    fc.assert(
      fc.property(CREDITS, (json) => {
        expect(roundTrip(CreditsSchema, json)).toEqual(json);
      }),
    );
  });

  it("a batch of verdicts, in order", () => {
    fc.assert(
      fc.property(fc.array(VERDICT), (results) => {
        expect(roundTrip(KeyServiceValidateBatchResponseSchema, { results })).toEqual({ results });
      }),
    );
  });

  it("latencies to the last bit", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (latencyMs) => {
        const { events } = roundTrip(IngestServiceIngestRequestSchema, { events: [{ latencyMs }] }) as {
          events: unknown[];
        };
        // -0 is 0 in JSON text.
        expect(events[0]).toMatchObject({ latencyMs: latencyMs + 0 });
      }),
    );
  });

  it.each(["__proto__", "", "$set", "a.b", "constructor", "toJSON", "hasOwnProperty", "\u2028", "0"])(
    "the metadata key %j as data",
    (key) => {
      const body = `{"metadata":{${JSON.stringify(key)}:{${JSON.stringify(key)}:[1,null]}}}`;
      const { message, errors } = decodeJson(ConsumerServiceCreateRequestSchema, JSON.parse(body));
      expect(errors).toEqual([]);
      const { metadata: kept } = JSON.parse(encodeJson(ConsumerServiceCreateRequestSchema, message));
      expect(JSON.stringify({ metadata: kept })).toBe(body);
      expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});
