import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { DrainWorker } from "../../src/journal/drain-worker-client.ts";
import type { Step } from "../../src/journal/drainer.ts";
import { journalSize } from "../../src/journal/waiting-events.ts";
import { prepareTimeSeries } from "../../src/mongo/schema.ts";
import { TIME_SERIES } from "../../src/schema.ts";
import {
  JOURNALED_MS,
  journalEntry,
  journalEvent,
  openJournal,
  stepUntil,
  type TestJournal,
} from "../harness/journal.ts";
import { untilDrained } from "../harness/until-drained.ts";

let journal: TestJournal;
const opened: TestJournal[] = [];
beforeEach(async () => {
  journal = await openJournal();
  opened.push(journal);
});
afterAll(async () => {
  for (const one of opened) await one.close();
});

describe("draining the journal", () => {
  it("brings every event into the time-series once, and empties the journal", async () => {
    await journal.write(100);
    await journal.write(1);
    const drainer = await journal.drainer();
    const steps: Step[] = [];
    while (steps.at(-1) !== "idle") steps.push(await drainer.step());
    expect(steps).toEqual(["taken", "planned", "inserted", "removed", "finished", "idle"]);
    await journal.expectDrained();
    expect(await journal.db.collection("key_activity").findOne({ requestId: "req_0" })).toEqual({
      ...{ at: new Date(JOURNALED_MS), projectId: "project_0", requestId: "req_0", code: "VALID" },
      ...{ statusCode: 200, creditsCharged: 1, creditsRemaining: 9, latencyMs: 0.5, keyId: "key_1" },
      ...{ apiKey: "ks_…abcdef", consumerId: "consumer_1", consumerName: "Zoë", endpoint: "/v1", method: "GET" },
      ...{ clientIp: "192.0.2.1", userAgent: "curl" },
    });
  });

  it("takes no more than a few thousand events at a time", async () => {
    for (let count = 0; count < 12; count++) await journal.write(1_000);
    const drainer = await journal.drainer();
    await stepUntil(drainer, "finished");
    expect(drainer.isBehind).toBe(true);
    expect(await journal.db.collection("key_activity").countDocuments()).toBe(4_000);
    await stepUntil(drainer, "idle");
    expect(drainer.isBehind).toBe(false);
    await journal.expectDrained();
  });

  it("is what the size of the journal goes down by", async () => {
    await journal.write(1_000);
    const size = await journalSize(journal.db);
    expect(size).toBeGreaterThan(100_000);
    await journal.write(1_000);
    expect(await journalSize(journal.db)).toBeGreaterThan(1.9 * size);
    await stepUntil(await journal.drainer(), "idle");
    expect(await journalSize(journal.db)).toBe(0);
  });

  it("lays an entry aside that cannot be read, and leaves one alone of a kind that it does not know", async () => {
    const entries = journal.db.collection<{ _id: string; kind: string; events: string; count: number }>("journal");
    const base = { at: new Date(), count: 1 };
    await entries.insertOne({ ...base, _id: "node:broken", kind: "activity", events: "[[" });
    await entries.insertOne({ ...base, _id: "node:later", kind: "of a later version", events: "[]" });
    await journal.write(5);
    await stepUntil(await journal.drainer(), "idle");
    await journal.expectDrained();
    expect(journal.unreadable).toEqual(["node:broken"]);
    const left = await entries.find().sort({ _id: 1 }).toArray();
    expect(left).toMatchObject([{ _id: "node:broken", events: "[[" }, { kind: "of a later version" }]);
  });

  it("inserts a batch in several commands when it is too large for one", async () => {
    const events = Array.from({ length: 1_500 }, (_, index) => ({
      ...journalEvent(`req_large_${index}`, index),
      userAgent: "ü".repeat(4_000),
    }));
    await journal.db.collection<{ _id: string }>("journal").insertOne(journalEntry("node:large", events));
    await stepUntil(await journal.drainer(), "idle");
    expect(await journal.db.collection("key_activity").countDocuments()).toBe(1_500);
  });
});

describe("the lease", () => {
  it("is left to the next by who stops, and kept by who has nothing to do", async () => {
    let nowMs = 0;
    const [holder, next] = [await journal.drainer(() => nowMs), await journal.drainer()];
    await stepUntil(holder, "idle");
    await journal.expireLease();
    nowMs += 2_000;
    expect([await holder.step(), await next.step()]).toEqual(["idle", "waiting"]);
    await holder.release();
    expect(await next.step()).toBe("taken");
    expect(await holder.step()).toBe("waiting");
  });
});

describe("the thread of the drainer", () => {
  it("drains, stops at once, and is followed by that of another node", async () => {
    const failures: Error[] = [];
    const open = () => new DrainWorker({ mongodbUri: journal.uri, onFailure: (error) => failures.push(error) });
    const [one, other] = [open(), open()];
    await journal.write(100);
    await untilDrained(journal.db);
    const startMs = performance.now();
    await Promise.all([one.stop(), other.stop()]);
    // By themselves: later they would be cut off.
    expect(performance.now() - startMs).toBeLessThan(1_500);
    await journal.write(100);
    const next = open();
    await untilDrained(journal.db);
    await next.stop();
    await journal.expectDrained();
    expect(failures).toEqual([]);
  });

  it("says that the database is out of reach, once, and stops within two seconds", async () => {
    const failures: Error[] = [];
    const uri = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50";
    const worker = new DrainWorker({ mongodbUri: uri, onFailure: (error) => failures.push(error) });
    while (failures.length === 0) await sleep(10);
    await sleep(500);
    const startMs = performance.now();
    await worker.stop();
    expect(performance.now() - startMs).toBeLessThan(2_000);
    expect(failures).toHaveLength(1);
  });
});

it("the retention of the time-series follows the setting", async () => {
  const expiry = async () =>
    (await journal.db.listCollections({ name: "key_activity" }).toArray()).map(
      (found) => (found as { options?: object }).options,
    );
  expect(await expiry()).toMatchObject([{ expireAfterSeconds: 30 * 86_400 }]);
  await prepareTimeSeries(journal.db, TIME_SERIES, 7);
  expect(await expiry()).toMatchObject([{ expireAfterSeconds: 7 * 86_400 }]);
});
