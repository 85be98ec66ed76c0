import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { idsSince } from "../lib/id.ts";
import { Directories } from "./directories.ts";
import type { ListQuery, ListRow } from "./listing.ts";
import type { ListingStore, SeenChange } from "./store.ts";

const QUERY: ListQuery = {
  ...{ page: 1, limit: 25, search: undefined, planId: undefined, status: undefined },
  ...{ sortBy: "createdAt", sortOrder: "desc" },
};
const idOf = (number: number) => `consumer_${String(number).padStart(8, "0")}`;
const rowOf = (consumerId: string): ListRow => ({
  ...{ consumerId, name: null, folded: "", status: "active", planId: null },
  ...{ goneAtMs: Number.POSITIVE_INFINITY, credits: null },
});

/** A database whose project gets so many consumers between each look at its changes and the next. */
function world(addedEachTime: number) {
  const changes: SeenChange[] = [];
  let loads = 0;
  const store: ListingStore = {
    databaseMs: async () => changes.length,
    async *load() {
      loads++;
      for (let batch = 0; batch < 10; batch++) yield [];
    },
    async changesFrom(_projectId, id) {
      const seen = changes.filter(({ _id }) => _id >= id);
      for (let added = 0; added < addedEachTime; added++) {
        changes.push({ _id: idsSince("audit", changes.length), targetId: idOf(changes.length) });
      }
      return seen;
    },
    countChanges: async (_projectId, fromId, toId) => changes.filter(({ _id }) => _id >= fromId && _id <= toId).length,
    rowsOf: async (_projectId, consumerIds) => consumerIds.map(rowOf),
    async *chargedSince() {},
    largeProjects: async () => [],
  };
  const rests: number[] = [];
  const rest = async (ms: number) => {
    rests.push(ms);
    await nextTurn();
  };
  let nowMs = 0;
  const directories = new Directories({ store, clockOffsetMs: 0, rest, monotonicMs: () => nowMs++ });
  const list = () => directories.list("project_1", QUERY);
  return { list, preload: () => directories.preload("project_1"), loads: () => loads, rests };
}

describe("Directories", () => {
  it("loads a project once, however much of it changes meanwhile", async () => {
    const { list, loads } = world(60_000);
    expect((await list()).total).toBe(60_000);
    expect(loads()).toBe(1);
  });

  it("reads what changed since, consumer by consumer", async () => {
    const { list, loads } = world(3);
    expect([(await list()).total, (await list()).total, loads()]).toEqual([3, 6, 1]);
  });

  it("takes its time to load what nobody waits for, until somebody does", async () => {
    const { list, preload, rests, loads } = world(0);
    const preloaded = preload();
    while (rests.length < 4) await nextTurn();
    expect(Math.min(...rests.slice(0, 3))).toBeGreaterThan(0);
    await Promise.all([preloaded, list()]);
    expect(rests.slice(-4)).toEqual([0, 0, 0, 0]);
    expect(loads()).toBe(1);
  });
});
