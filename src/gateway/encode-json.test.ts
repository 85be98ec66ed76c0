import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { AnalyticsServiceStatsDetailsResponseSchema, LogRowSchema } from "../../gen/keysvc/v1/analytics_pb.js";
import {
  ConsumerServiceDetailsResponseSchema,
  ConsumerServiceListResponseSchema,
  ConsumerStatus,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { CreditsSchema, RefillPolicy } from "../../gen/keysvc/v1/credits_pb.js";
import { KeyServiceValidateResponseSchema, VerdictCode } from "../../gen/keysvc/v1/key_pb.js";
import { CredentialSchema } from "../../gen/keysvc/v1/project_pb.js";
import { encodeJson } from "./encode-json.ts";

/** A response as its reader parses it. */
function encoded(schema: DescMessage, message: Message): Record<string, unknown> {
  return JSON.parse(encodeJson(schema, message));
}

describe("encodeJson", () => {
  it("writes every field of a message, in the order of the proto file", () => {
    const message = create(ConsumerServiceDetailsResponseSchema, {
      consumerId: "consumer_1",
      projectKey: "p",
      metadata: {},
      status: ConsumerStatus.ACTIVE,
      createdAt: timestampFromMs(0),
      updatedAt: timestampFromMs(1_767_225_600_123),
    });
    expect(JSON.stringify(encoded(ConsumerServiceDetailsResponseSchema, message))).toBe(
      JSON.stringify({
        consumerId: "consumer_1",
        projectKey: "p",
        name: null,
        imageUrl: null,
        externalId: null,
        metadata: {},
        webhookUrl: null,
        status: "active",
        planId: null,
        tags: [],
        createdAt: "1970-01-01T00:00:00.000Z",
        expiresAt: null,
        updatedAt: "2026-01-01T00:00:00.123Z",
        rateLimit: null,
        credits: null,
      }),
    );
  });

  it("tells what is empty, zero or false from what is unset", () => {
    const message = create(ConsumerServiceDetailsResponseSchema, { name: "", rateLimit: { limit: 0n } });
    expect(encoded(ConsumerServiceDetailsResponseSchema, message)).toMatchObject({
      name: "",
      externalId: null,
      rateLimit: { limit: 0, window: null },
      status: null,
    });
  });

  it("writes 64-bit integers as numbers, and a message within a message in full", () => {
    const message = create(CreditsSchema, {
      limit: 9_007_199_254_740_991n,
      used: 0n,
      refill: { every: "1d", refillPolicy: RefillPolicy.ADD, nextRefillAt: 1_767_225_600_000n },
    });
    expect(encoded(CreditsSchema, message)).toEqual({
      limit: 9_007_199_254_740_991,
      used: 0,
      remaining: 0,
      overageUsed: 0,
      shadowLimit: null,
      overage: null,
      refill: { every: "1d", refillCredit: 0, refillPolicy: "add", carryover: null, nextRefillAt: 1_767_225_600_000 },
      expiresAt: null,
    });
  });

  it("leaves out retryAfterSeconds of a verdict, and refill in a list, when they are unset, and nothing else", () => {
    const verdict = create(KeyServiceValidateResponseSchema, { code: VerdictCode.NOT_FOUND, requestId: "r" });
    const shown = encoded(KeyServiceValidateResponseSchema, verdict);
    expect(shown).toEqual({
      valid: false,
      code: "NOT_FOUND",
      requestId: "r",
      keyId: null,
      apiId: null,
      consumer: null,
      credits: null,
      rateLimit: null,
    });
    const list = create(ConsumerServiceListResponseSchema, { consumers: [{ credits: { limit: 1n } }] });
    expect(encoded(ConsumerServiceListResponseSchema, list)).toMatchObject({
      consumers: [{ credits: { limit: 1, used: 0, remaining: 0 } }],
    });
    expect(encodeJson(ConsumerServiceListResponseSchema, list)).not.toContain("refill");
  });

  it("writes such fields when they are set, zero included", () => {
    const verdict = create(KeyServiceValidateResponseSchema, { retryAfterSeconds: 0n });
    expect(encoded(KeyServiceValidateResponseSchema, verdict)).toMatchObject({ retryAfterSeconds: 0 });
    const row = encoded(LogRowSchema, create(LogRowSchema, { keyId: "", creditsCharged: 0n }));
    expect(row).toMatchObject({ keyId: "", creditsCharged: 0 });
    expect(row).not.toHaveProperty("code");
    expect(row).toHaveProperty("endpoint", "");
  });

  it("writes a field that belongs to another as null beside that, and leaves it out without it", () => {
    const row = (init: object) => encoded(LogRowSchema, create(LogRowSchema, init));
    expect(row({ code: VerdictCode.NOT_FOUND })).toHaveProperty("creditsRemaining", null);
    expect(row({ code: VerdictCode.VALID, creditsRemaining: 0n })).toHaveProperty("creditsRemaining", 0);
    expect(row({})).not.toHaveProperty("creditsRemaining");
  });

  it("writes the part of a figure's details in place of the message around it", () => {
    const message = create(AnalyticsServiceStatsDetailsResponseSchema, {
      details: { totalRequests: { total: 3n, byMethod: [{ code: "GET", count: 3n }] } },
    });
    const { details } = encoded(AnalyticsServiceStatsDetailsResponseSchema, message);
    expect(details).toMatchObject({ total: 3, byStatusClass: [] });
    expect(Object.keys(details as object)).toEqual(["total", "byMethod", "byStatusClass"]);
    const empty = create(AnalyticsServiceStatsDetailsResponseSchema, { details: {} });
    expect(encoded(AnalyticsServiceStatsDetailsResponseSchema, empty).details).toEqual({});
  });

  it("writes lists of enums as words", () => {
    expect(encoded(CredentialSchema, create(CredentialSchema, { scopes: [1, 4] }))).toMatchObject({
      scopes: ["manage", "ingest"],
    });
  });

  it("writes times before 1970 and years below 1000 in full", () => {
    const at = (ms: number) =>
      encoded(
        ConsumerServiceDetailsResponseSchema,
        create(ConsumerServiceDetailsResponseSchema, { createdAt: timestampFromMs(ms) }),
      ).createdAt;
    expect(at(-500)).toBe("1969-12-31T23:59:59.500Z");
    expect(at(Date.parse("0001-01-01T00:00:00Z"))).toBe("0001-01-01T00:00:00.000Z");
  });

  it("writes what JSON.stringify would: texts with quotes, controls and lone surrogates, and numbers that JSON has not", () => {
    const text = 'a"\\\n\u0000\u2028\ud800é😀';
    const metadata = { [text]: [text, null, 1e21, -0, { "": true }] };
    const message = create(ConsumerServiceDetailsResponseSchema, { name: text, tags: [text], metadata });
    const { name, tags, metadata: kept } = encoded(ConsumerServiceDetailsResponseSchema, message);
    expect({ name, tags, kept }).toEqual(JSON.parse(JSON.stringify({ name: text, tags: [text], kept: metadata })));
    const row = (latencyMs: number) => encoded(LogRowSchema, create(LogRowSchema, { latencyMs })).latencyMs;
    expect([Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 0.1].map(row)).toEqual([null, null, 0, 1e21, 0.1]);
  });
});
