import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ConsumerServiceCreateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import {
  KeyServiceImportRequestSchema,
  KeyServiceValidateBatchRequestSchema,
  KeyServiceValidateRequestSchema,
} from "../../gen/keysvc/v1/key_pb.js";
import { checkFieldRules } from "./field-rules.ts";

const consumer = ConsumerServiceCreateRequestSchema;
const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);

describe("checkFieldRules", () => {
  it("finds nothing in a good request", () => {
    expect(checkFieldRules(consumer, create(consumer))).toEqual([]);
    const request = create(KeyServiceValidateRequestSchema, { key: "k".repeat(8_192), credits: 0n, requestId: "r" });
    expect(checkFieldRules(KeyServiceValidateRequestSchema, request)).toEqual([]);
  });

  it("names every violation by a path in camelCase with indexes", () => {
    const request = create(consumer, {
      webhookUrl: "x".repeat(2_049),
      tags: ["good", "x".repeat(257)],
      credits: { limit: -1n, shadowLimit: 9_007_199_254_740_992n, refill: { every: "1d" } },
      rateLimit: { limit: 0n, window: 86_401 },
      status: 3,
    });
    expect(fieldsOf(checkFieldRules(consumer, request)).sort()).toEqual([
      "credits.limit",
      "credits.refill.refillCredit",
      "credits.shadowLimit",
      "rateLimit.limit",
      "rateLimit.window",
      "status",
      "tags[1]",
      "webhookUrl",
    ]);
  });

  it("names the field of an element of a list", () => {
    const request = create(KeyServiceImportRequestSchema, {
      consumerId: "c",
      keys: [{ sha256: "a".repeat(64) }, { sha256: "b" }],
    });
    expect(fieldsOf(checkFieldRules(KeyServiceImportRequestSchema, request))).toEqual(["keys[1].sha256"]);
  });

  it("reports texts and bounds together", () => {
    const request = create(consumer, { name: "\ud800", tags: Array(1_001).fill("t") });
    expect(fieldsOf(checkFieldRules(consumer, request))).toEqual(["name", "tags"]);
  });

  it.each([
    ["a key without a character", { key: "" }, "key"],
    ["a key of 8,193 bytes", { key: "k".repeat(8_193) }, "key"],
    ["a key of 8,194 bytes in 4,097 characters", { key: "é".repeat(4_097) }, "key"],
    ["a negative cost", { key: "k", credits: -1n }, "credits"],
    ["a cost of 2^53", { key: "k", credits: 2n ** 53n }, "credits"],
    ["an empty requestId", { key: "k", requestId: "" }, "requestId"],
    ["a requestId of 129 characters", { key: "k", requestId: "r".repeat(129) }, "requestId"],
    ["a requestId that is not ASCII", { key: "k", requestId: "é" }, "requestId"],
    ["a requestId with a line break", { key: "k", requestId: "r\n" }, "requestId"],
  ])("refuses %s", (_title, init, field) => {
    const request = create(KeyServiceValidateRequestSchema, init);
    const fields = fieldsOf(checkFieldRules(KeyServiceValidateRequestSchema, request));
    expect([...new Set(fields)]).toEqual([field]);
  });

  it("bounds a batch at 1 and 100", () => {
    const batch = (size: number) =>
      checkFieldRules(
        KeyServiceValidateBatchRequestSchema,
        create(KeyServiceValidateBatchRequestSchema, { requests: Array(size).fill({ key: "k" }) }),
      );
    expect(fieldsOf(batch(0))).toEqual(["requests"]);
    expect(batch(1)).toEqual([]);
    expect(batch(100)).toEqual([]);
    expect(fieldsOf(batch(101))).toEqual(["requests"]);
  });

  it("takes metadata of any depth without exhausting the stack", () => {
    const metadata = JSON.parse(`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`);
    expect(fieldsOf(checkFieldRules(consumer, create(consumer, { metadata })))).toEqual(["metadata"]);
  });
});
