import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Directory } from "./directory.ts";
import { compareText, creditsRemaining, creditsUsed, foldCase, type ListQuery, type ListRow } from "./listing.ts";

const NOW = 1_767_225_600_000;
const DAY_MS = 24 * 3_600_000;
const QUERY: ListQuery = {
  ...{ page: 1, limit: 25, search: undefined, planId: undefined, status: undefined },
  ...{ sortBy: "createdAt", sortOrder: "desc" },
};

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "B", "ß", ".", "*", "(", "$", "é", "Ω", "🗝", "\uffee", "i"), maxLength: 4 }),
  fc.constantFrom("Acme", "ACME Corp", "acme", "Zoë"),
);
const credits = fc.record({
  limit: fc.nat(5),
  used: fc.nat(6),
  nextRefillAt: fc.constantFrom(NOW - DAY_MS, NOW, NOW + DAY_MS),
  expiresAt: fc.constantFrom(null, NOW - 1, NOW + 1),
  terms: fc.constant({
    id: "daily",
    overage: null,
    refill: { every: "1d", everyMs: DAY_MS, refillCredit: 3, refillPolicy: "reset" as const, carryover: null },
  }),
});
const rowOf = (number: number): fc.Arbitrary<ListRow> =>
  fc
    .record({
      name: fc.option(text, { nil: null }),
      status: fc.constantFrom("active" as const, "disabled" as const, "deleted" as const),
      planId: fc.constantFrom(null, "plan_a", "plan_b"),
      goneAtMs: fc.constantFrom(Number.POSITIVE_INFINITY, NOW, NOW + 1),
      credits: fc.option(credits, { nil: null }),
    })
    .map((row) => ({
      ...row,
      consumerId: `consumer_${String(number).padStart(4, "0")}`,
      // As of a name that is too long to be kept twice.
      folded: number % 5 === 0 ? null : foldCase(row.name ?? ""),
    }));
const rows = fc.nat(60).chain((count) => fc.tuple(...Array.from({ length: count }, (_, number) => rowOf(number))));
const query: fc.Arbitrary<ListQuery> = fc.record({
  page: fc.integer({ min: 1, max: 8 }),
  limit: fc.constantFrom(1, 2, 7, 25, 200),
  search: fc.option(fc.oneof(text, fc.constantFrom("", "consumer_", "CONSUMER_001", "_00", "1", "a\n")), {
    nil: undefined,
  }),
  planId: fc.constantFrom(undefined, undefined, "plan_a", "plan_none"),
  status: fc.constantFrom(undefined, undefined, "active", "disabled", "deleted"),
  sortBy: fc.constantFrom("createdAt", "name", "status", "creditsUsed", "creditsRemaining"),
  sortOrder: fc.constantFrom("asc", "desc"),
});

/** The same by the words of the specification, over a plain array. */
function listPlainly(all: readonly ListRow[], { search = "", planId, status, ...query }: ListQuery) {
  const living = all.filter(({ goneAtMs }) => goneAtMs > NOW);
  const matching = living
    .filter((row) => planId === undefined || row.planId === planId)
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => [row.name ?? "", row.consumerId].some((one) => one.toUpperCase().includes(search.toUpperCase())));
  const byNumber = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);
  const byText = (a: string, b: string) => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const sorts: Record<ListQuery["sortBy"], (a: ListRow, b: ListRow) => number> = {
    createdAt: () => 0,
    name: (a, b) => Number(a.name !== null) - Number(b.name !== null) || byText(a.name ?? "", b.name ?? ""),
    status: (a, b) => byText(a.status, b.status),
    creditsUsed: (a, b) => byNumber(creditsUsed(a.credits, NOW), creditsUsed(b.credits, NOW)),
    creditsRemaining: (a, b) => byNumber(creditsRemaining(a.credits, NOW), creditsRemaining(b.credits, NOW)),
  };
  const sorted = matching.toSorted((a, b) => sorts[query.sortBy](a, b) || byText(a.consumerId, b.consumerId));
  if (query.sortOrder === "desc") sorted.reverse();
  const start = (query.page - 1) * query.limit;
  const consumerIds = sorted.slice(start, start + query.limit).map(({ consumerId }) => consumerId);
  return { consumerIds, total: living.length, filtered: matching.length };
}

function shuffled<Item>(items: readonly Item[], keys: readonly number[]): Item[] {
  const order = items.map((item, index) => ({ item, key: keys[index % keys.length] ?? 0 }));
  return order.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

describe("Directory", () => {
  it("lists what a plain array would, whatever is asked, in whichever order the rows came", async () => {
    await fc.assert(
      fc.asyncProperty(rows, query, fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), async (all, asked, keys) => {
        const directory = new Directory(async () => undefined);
        for (const row of shuffled(all, keys)) directory.put(row);
        expect(await directory.list(asked, NOW)).toEqual(listPlainly(all, asked));
      }),
      { numRuns: 2_000 },
    );
  });

  it("walks every page of a large project without losing or repeating anybody, in both directions", async () => {
    const directory = new Directory(async () => undefined);
    const count = 30_011;
    for (let number = 0; number < count; number++) {
      const name = number % 7 === 0 ? null : `name ${(number * 7_919) % 1_000}`;
      directory.put({
        ...{ consumerId: `consumer_${String(number).padStart(6, "0")}`, name, folded: foldCase(name ?? "") },
        ...{ status: "active", planId: null, goneAtMs: Number.POSITIVE_INFINITY, credits: null },
      });
    }
    const walk = async (sortOrder: "asc" | "desc") => {
      const ids: string[] = [];
      for (let page = 1; page <= Math.ceil(count / 200); page++) {
        const { consumerIds } = await directory.list({ ...QUERY, sortBy: "name", page, limit: 200, sortOrder }, NOW);
        ids.push(...consumerIds);
      }
      return ids;
    };
    const rising = await walk("asc");
    expect(new Set(rising).size).toBe(count);
    expect(await walk("desc")).toEqual(rising.toReversed());
  });

  it("shows a row that was put again as it is now, and none that was removed", async () => {
    const directory = new Directory(async () => undefined);
    const [a, b] = fc.sample(fc.tuple(rowOf(1), rowOf(2)), 1)[0] ?? [];
    if (a === undefined || b === undefined) throw new Error("no sample");
    const living = { goneAtMs: Number.POSITIVE_INFINITY };
    for (const row of [a, b]) directory.put({ ...row, ...living, planId: null });
    directory.put({ ...a, ...living, planId: "plan_a" });
    expect((await directory.list({ ...QUERY, planId: "plan_a" }, NOW)).consumerIds).toEqual([a.consumerId]);
    directory.remove(a.consumerId);
    directory.remove("consumer_9999");
    expect(await directory.list(QUERY, NOW)).toEqual({ consumerIds: [b.consumerId], total: 1, filtered: 1 });
  });
});

describe("compareText", () => {
  it("orders texts as their UTF-8 bytes are ordered, as MongoDB does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });
});
