import { describe, expect, it } from "vitest";
import { abandoned, afterAttempt, bodyOf, freshStart, newDelivery } from "./delivery.ts";

const AT_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const EVENT = {
  ...{ type: "key.created" as const, projectId: "project_1", consumerId: "consumer_1", atMs: AT_MS },
  ...{ url: "https://Example.com:8443/hook?a=1", data: { consumerId: "consumer_1", name: "Zoë" } },
};
const progressAfter = (statusCode: number | null, error: string | null, attempts = 0, nowMs = AT_MS + 500) =>
  afterAttempt({ startedAt: new Date(AT_MS), attempts }, { statusCode, error }, nowMs - 400, nowMs, 0.5);

describe("a delivery", () => {
  it("is due at once, and says what happened in the same text each time", () => {
    const delivery = newDelivery(EVENT);
    expect(delivery).toMatchObject({
      status: "pending",
      attempts: 0,
      dueAt: new Date(AT_MS),
      host: "example.com:8443",
    });
    expect(JSON.parse(bodyOf(delivery))).toEqual({
      ...{ type: "key.created", timestamp: "2023-11-14T22:13:20.000Z" },
      data: { consumerId: "consumer_1", name: "Zoë" },
    });
    const later = { ...delivery, ...progressAfter(500, "it answered 500") };
    expect(bodyOf(later)).toBe(bodyOf(delivery));
  });

  it("ends when it is taken", () => {
    expect(progressAfter(204, null, 2)).toEqual({
      ...{ status: "delivered", attempts: 3, lastStatusCode: 204, lastError: null, claimId: null },
      ...{ lastAttemptAt: new Date(AT_MS + 100), deliveredAt: new Date(AT_MS + 500) },
      ...{ nextAttemptAt: null, dueAt: null, finishedAt: new Date(AT_MS + 500) },
    });
  });

  it.each([
    ["an error", 500],
    ["a redirect", 302],
    ["no answer", null],
  ])("is tried again after %s", (_title, statusCode) => {
    const nextAttemptAt = new Date(AT_MS + 5_000);
    const expected = { status: "pending", attempts: 1, nextAttemptAt, dueAt: nextAttemptAt, finishedAt: null };
    expect(progressAfter(statusCode, "it failed")).toMatchObject(expected);
  });

  it("ends when the receiver has gone, or its time is over", () => {
    const ended = { status: "failed", nextAttemptAt: null, dueAt: null, deliveredAt: null };
    expect(progressAfter(410, "it answered 410")).toMatchObject({ ...ended, attempts: 1, lastStatusCode: 410 });
    expect(progressAfter(500, "it answered 500", 10, AT_MS + 63 * HOUR_MS)).toMatchObject({ ...ended, attempts: 11 });
  });

  it("that is given up without an attempt keeps what its attempts came to", () => {
    const tried = progressAfter(500, "it answered 500");
    expect(abandoned(tried, "the reason", AT_MS + HOUR_MS)).toMatchObject({
      ...{ status: "failed", attempts: 1, lastStatusCode: 500, lastError: "the reason", dueAt: null },
      finishedAt: new Date(AT_MS + HOUR_MS),
    });
  });

  it("that is started again has its attempts before it", () => {
    const again = { ...newDelivery(EVENT), ...progressAfter(500, "x", 4), ...freshStart(AT_MS + HOUR_MS) };
    expect(again).toMatchObject({ status: "pending", attempts: 0, lastError: null, finishedAt: null });
    expect([again.startedAt, again.dueAt]).toEqual([new Date(AT_MS + HOUR_MS), new Date(AT_MS + HOUR_MS)]);
  });
});
