import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { KeyServiceValidateRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import { emptyConsumer } from "../consumer/new-consumer.ts";
import { type ActivityEvent, readRows, writeRows } from "../journal/activity-event.ts";
import type { Key } from "../key/key.ts";
import type { KnownKey } from "./account.ts";
import { type RecordedCall, writeNotFoundRow, writeRow } from "./activity.ts";

const NOW = 1_767_225_600_000;
const credits = { limit: 10, used: 4, shadowLimit: null, overage: null, refill: null, expiresAt: null };
const consumer = { ...emptyConsumer("project_1", NOW), _id: "consumer_1", name: 'Ann "the" \\ Nö\n', credits };
// A row takes no more of a key.
const key = { _id: "key_1", consumerId: "consumer_1" } as Key;
const known: KnownKey = {
  ...{ key, endsAtMs: Number.POSITIVE_INFINITY, valueEndsAtMs: Number.POSITIVE_INFINITY, revision: 1 },
  ...{ account: { consumer, isKnown: true, sharedUntilMs: 0, unproven: 0, asOfMs: 0 }, maskedValue: "********abcdef" },
};
const traffic = {
  endpoint: '/v1/"x"',
  method: "GET",
  clientIp: "::1",
  userAgent: "c\u0000url",
  country: "DE",
  region: "",
};
const request = create(KeyServiceValidateRequestSchema, { key: "x".repeat(30), apiId: "api_1", ...traffic });
const call: RecordedCall = {
  ...{ requestId: 'a"b\\c', projectId: "project_1", request, apiName: "Orders, v1" },
  arrivedMs: performance.now(),
};

function read(row: string): Partial<ActivityEvent> {
  const [{ latencyMs, ...event } = { latencyMs: -1 }] = readRows(`[${row}]`);
  expect(latencyMs).toBeGreaterThanOrEqual(0);
  return event;
}

it("the row of a verdict reads as everything that is known of it, whatever characters it has", () => {
  const row = writeRow(call, known, {
    code: "VALID",
    consumer,
    meter: consumer,
    nowMs: NOW,
    charged: 4,
    isRepeated: false,
  });
  expect(read(row)).toEqual({
    ...{ requestId: 'a"b\\c', at: NOW, code: "VALID", creditsCharged: 4, creditsRemaining: 6, count: 1 },
    ...{ projectId: "project_1", keyId: "key_1", apiKey: "********abcdef" },
    ...{ consumerId: "consumer_1", consumerName: consumer.name, apiId: "api_1", apiName: "Orders, v1", ...traffic },
  });
  expect(writeRows(readRows(`[${row}]`))).toBe(`[${row}]`);
});

it("the row of unlimited usage has no remaining credits, and a new name of the consumer is in the next row", () => {
  const unlimited = { ...consumer, credits: null, name: null };
  const event = read(
    writeRow(call, known, {
      code: "VALID",
      consumer: unlimited,
      meter: unlimited,
      nowMs: NOW,
      charged: 1,
      isRepeated: false,
    }),
  );
  expect(event).toMatchObject({ creditsRemaining: null, consumerName: "" });
  expect(
    read(writeRow(call, known, { code: "VALID", consumer, meter: consumer, nowMs: NOW, charged: 1, isRepeated: false }))
      .consumerName,
  ).toBe(consumer.name);
});

it("the row of a verdict that is given again charges nothing", () => {
  const again = writeRow(call, known, {
    code: "VALID",
    consumer,
    meter: consumer,
    nowMs: NOW,
    charged: 4,
    isRepeated: true,
  });
  expect(read(again)).toMatchObject({ code: "VALID", creditsCharged: 0 });
});

it("the row of a key that was not found shows no more than its end, and of a short text nothing", () => {
  const notFound = { code: "NOT_FOUND", keyId: "", consumerId: "", consumerName: "", creditsRemaining: null };
  expect(read(writeNotFoundRow(call, NOW))).toMatchObject({ ...notFound, apiKey: "********xxxxxx", at: NOW });
  const short = create(KeyServiceValidateRequestSchema, { key: "secret" });
  expect(read(writeNotFoundRow({ ...call, request: short }, NOW))).toMatchObject({ apiKey: "********", endpoint: "" });
});
