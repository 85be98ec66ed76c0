import { MongoNetworkError, MongoServerError } from "mongodb";
import { expect, it } from "vitest";
import type { IngestedEntry } from "../journal/ingested-entry.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { BatchRecording, type WaitingPortion } from "./batch-recording.ts";
import type { IngestStore } from "./store.ts";

/** A database that takes each id of a project once; ids of `hidden` are there without a majority having them yet. */
function setUp() {
  const entries: IngestedEntry[] = [];
  const hidden = new Set<string>();
  const state = {
    inserts: 0,
    lookUps: 0,
    atOnce: 0,
    atOnceMax: 0,
    timesMaxMs: [] as number[],
    failures: [] as Error[],
  };
  const idsOf = (projectId: string) =>
    new Set(entries.filter((entry) => entry.projectId === projectId).flatMap(({ requestIds }) => requestIds));
  const store: IngestStore = {
    prepareInsert: (offered) => async () => {
      state.inserts++;
      const failure = state.failures.shift();
      if (failure !== undefined) throw failure;
      return offered.flatMap((entry, place) => {
        const known = idsOf(entry.projectId);
        if (entry.requestIds.some((id) => known.has(id) || hidden.has(id))) return [place];
        entries.push(entry);
        return [];
      });
    },
    async findRecorded(projectId, requestIds, { timeMaxMs }) {
      state.lookUps++;
      state.timesMaxMs.push(timeMaxMs);
      state.atOnceMax = Math.max(state.atOnceMax, ++state.atOnce);
      await new Promise(setImmediate);
      state.atOnce--;
      const known = idsOf(projectId);
      const found = requestIds.filter((id) => known.has(id));
      for (const id of [...hidden]) {
        // By the next look, a majority has it.
        hidden.delete(id);
        entries.push({ ...entryOf([]), projectId, requestIds: [id] } as unknown as IngestedEntry);
      }
      return new Set(found);
    },
  };
  let sequence = 0;
  const entryOf = (rows: readonly string[]): JournalEntry => {
    return { _id: `node:${++sequence}`, kind: "traffic", at: new Date(), count: rows.length, events: `[${rows}]` };
  };
  const recording = new BatchRecording({ store, journal: { entry: entryOf }, now: async () => 1_000 });
  /** @returns what each portion was told: the number of duplicates, or an error */
  async function run(portions: [projectId: string, ids: string[]][], isGivenUp = () => false): Promise<unknown[]> {
    const told: unknown[] = portions.map(() => undefined);
    const waiting = portions.map(([projectId, requestIds], index): WaitingPortion => {
      const tell = (outcome: unknown) => {
        told[index] ??= outcome;
      };
      const rows = requestIds.map((id) => `"${id}"`);
      const call = { projectId, rows, requestIds, arrivedMs: performance.now(), textLength: 1 };
      return { call, resolve: tell, reject: tell };
    });
    await recording.run(waiting, isGivenUp).catch((error: unknown) => {
      for (const { reject } of waiting) reject(error);
    });
    return told;
  }
  const recorded = () => entries.map(({ projectId, events }) => `${projectId} ${events}`);
  return { run, recorded, entries, hidden, state };
}

it("records a batch by one insert of a document for each project", async () => {
  const { run, recorded, entries, state } = setUp();
  expect(
    await run([
      ["one", ["a", "b"]],
      ["two", ["a"]],
      ["one", ["c", "a"]],
    ]),
  ).toEqual([0, 0, 1]);
  expect(recorded()).toEqual(['one ["a","b","c"]', 'two ["a"]']);
  expect(entries[0]).toMatchObject({ kind: "traffic", count: 3, size: 13 + 500 + 3 * 200, writtenAt: new Date(1_000) });
  expect(state).toMatchObject({ inserts: 1, lookUps: 0 });
});

it("looks only for what is in a document that was refused, and records the rest of it", async () => {
  const { run, recorded, state } = setUp();
  await run([["one", ["a", "b"]]]);
  expect(
    await run([
      ["one", ["a", "c"]],
      ["two", ["a"]],
      ["one", ["d"]],
    ]),
  ).toEqual([1, 0, 0]);
  expect(recorded()).toEqual(['one ["a","b"]', 'two ["a"]', 'one ["c","d"]']);
  expect(state).toMatchObject({ inserts: 3, lookUps: 1 });
  expect(await run([["one", ["a", "b", "d"]]])).toEqual([3]);
  expect(state).toMatchObject({ inserts: 4, lookUps: 2 });
});

it("tells of no duplicate that a majority does not have yet", async () => {
  const { run, hidden, recorded, state } = setUp();
  hidden.add("a");
  expect(await run([["one", ["a", "b"]]])).toEqual([1]);
  expect(state.lookUps).toBe(2);
  expect(recorded().at(-1)).toBe('one ["b"]');
});

it("looks for the duplicates of a few projects at a time, of few ids each, and for so long as the callers wait", async () => {
  const { run, state } = setUp();
  const ids = Array.from({ length: 600 }, (_id, index) => `id-${index}`);
  const portions = Array.from({ length: 20 }, (_portion, index): [string, string[]] => [`project-${index}`, ids]);
  await run(portions);
  expect(await run(portions)).toEqual(Array(20).fill(600));
  expect(state.lookUps).toBe(20 * 3);
  expect(state.atOnceMax).toBe(4);
  expect(state.timesMaxMs.every((timeMs) => timeMs > 0 && timeMs <= 1_500)).toBe(true);
});

it("records events that have no id, each time, under an id that no caller can give", async () => {
  const { run, entries } = setUp();
  expect(await run([["one", ["", ""]]])).toEqual([0]);
  expect(await run([["one", [""]]])).toEqual([0]);
  expect(entries.map(({ requestIds }) => requestIds)).toEqual([[" node:1"], [" node:2"]]);
});

it("repeats an insert of which it is not known whether it was done, and nothing else", async () => {
  const { run, recorded, state } = setUp();
  state.failures.push(new MongoNetworkError("cut"), new MongoServerError({ code: 91, message: "shutting down" }));
  expect(await run([["one", ["a"]]])).toEqual([0]);
  expect([recorded(), state.inserts]).toEqual([['one ["a"]'], 3]);
  state.failures.push(new TypeError("a defect"));
  expect(await run([["one", ["b"]]])).toEqual([expect.any(TypeError)]);
  state.failures.push(new MongoNetworkError("cut"));
  // Given up meanwhile, it is not begun anew; given up before, it is not begun.
  const done = state.inserts;
  expect(await run([["one", ["c"]]], () => state.inserts > done)).toMatchObject([{ reason: "DATABASE_UNAVAILABLE" }]);
  expect(await run([["one", ["c"]]], () => true)).toMatchObject([{ reason: "DATABASE_UNAVAILABLE" }]);
  expect(state.inserts).toBe(done + 1);
});

it("whose rest fails says so of that project alone", async () => {
  const { run, recorded, state } = setUp();
  await run([["one", ["a"]]]);
  const portions: [string, string[]][] = [
    ["one", ["a", "b"]],
    ["two", ["a"]],
  ];
  const done = state.inserts;
  const [one, two] = await run(portions, () => state.inserts > done);
  expect(one).toMatchObject({ reason: "DATABASE_UNAVAILABLE" });
  expect(two).toBe(0);
  expect(recorded()).toEqual(['one ["a"]', 'two ["a"]']);
  expect(state.lookUps).toBe(0);
});
