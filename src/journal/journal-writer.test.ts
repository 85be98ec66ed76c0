import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { JournalEntry } from "./journal-entry.ts";
import { JournalWriter } from "./journal-writer.ts";

/** A writer whose entries are kept here, each after a while. */
function setUp(isDurable: boolean, failures = 0) {
  const entries: JournalEntry[] = [];
  const state = { underWay: 0, underWayMax: 0, failures };
  const prepareInsert = (entry: JournalEntry) => async () => {
    state.underWayMax = Math.max(state.underWayMax, ++state.underWay);
    await sleep(3);
    state.underWay--;
    if (state.failures-- > 0) throw new Error("out of reach");
    entries.push(entry);
  };
  const writer = new JournalWriter({ nodeId: "node_1", prepareInsert, isDurable });
  const rows = () => entries.flatMap(({ events }) => JSON.parse(events) as unknown[]);
  return { writer, entries, rows, state };
}

it("events that come together are written together, in order, each once, and durable when they are answered", async () => {
  const { writer, entries, rows, state } = setUp(true);
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 2_500 }, (_, index) => writer.append(`[${round * 2_500 + index}]`)));
    expect(rows()).toHaveLength((round + 1) * 2_500);
  }
  expect(
    rows()
      .flat()
      .sort((one, other) => Number(one) - Number(other)),
  ).toEqual(Array.from({ length: 7_500 }, (_, index) => index));
  expect(entries.length).toBeLessThanOrEqual(12);
  expect(state.underWayMax).toBeGreaterThan(1);
  expect(new Set(entries.map(({ _id }) => _id)).size).toBe(entries.length);
  expect(entries.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(7_500);
});

it("of durable events that could not be written, those who wait are told", async () => {
  const { writer, rows } = setUp(true, 1);
  await expect(writer.append("[1]")).rejects.toThrow("out of reach");
  await writer.append("[2]");
  expect(rows()).toEqual([[2]]);
});

it("buffered events keep nobody waiting, and are written within a second, also after failures", async () => {
  const { writer, rows } = setUp(false, 2);
  for (let index = 0; index < 10; index++) expect(writer.append(`[${index}]`)).toBeUndefined();
  expect(rows()).toEqual([]);
  await sleep(1_000);
  // The moment that the last attempt takes, where the machine is busy.
  await expect.poll(() => rows().length).toBe(10);
});

it("buffered events that wait are written when the writer is closed", async () => {
  const { writer, rows } = setUp(false);
  void writer.append("[1]");
  await writer.close();
  expect(rows()).toEqual([[1]]);
});

it("events are refused before they take too much memory, and taken again when there is room", async () => {
  const { writer, rows } = setUp(true);
  const large = `["${"x".repeat(1_000_000)}"]`;
  const written: (Promise<void> | undefined)[] = [];
  expect(() => {
    for (let index = 0; index < 100; index++) written.push(writer.append(large));
  }).toThrow("OVERLOADED");
  expect(written.length).toBeGreaterThan(60);
  await Promise.all(written);
  await writer.append(large);
  expect(rows()).toHaveLength(written.length + 1);
});

it("rows that are too long for one document make several entries, in their order, each row once", () => {
  const { writer } = setUp(true);
  const rows = Array.from({ length: 500 }, (_, index) => JSON.stringify([index, "\u0001".repeat(16_384)]));
  const entries = writer.entries(rows);
  expect(entries.map(({ events }) => events.length < 8_000_000)).not.toContain(false);
  expect(entries.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(500);
  expect(entries.flatMap(({ events }) => JSON.parse(events)).map(([index]) => index)).toEqual(
    rows.map((_, index) => index),
  );
  expect(new Set(entries.map(({ _id }) => _id)).size).toBe(entries.length);
  expect(writer.entries([])).toEqual([]);
});
