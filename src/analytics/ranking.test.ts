import fc from "fast-check";
import { expect, it } from "vitest";
import { consumerValue } from "../segments/segment.ts";
import { rankingOf } from "./ranking.ts";

it("lists the most frequent values as sorting all of them does, and counts those that are not listed", () => {
  const counts = fc.dictionary(fc.string({ maxLength: 3 }), fc.integer({ min: 1, max: 4 }), { maxKeys: 40 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 20 }), (counts, most) => {
      const all = Object.entries(counts);
      const sorted = all.sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1));
      const total = all.reduce((sum, [, count]) => sum + count, 0);
      const found = rankingOf(new Map(Object.entries(counts)), "endpoint", most);
      expect(found).toEqual({ total, ranked: sorted.slice(0, most) });
    }),
  );
});

it("adds up what a consumer has under all of its names before it ranks", () => {
  const counts = new Map([
    [consumerValue("consumer_1", "Acme"), 2],
    [consumerValue("consumer_2", "Bolt"), 3],
    [consumerValue("consumer_1", "Acme, renamed"), 2],
    [consumerValue("", "Acme"), 1],
  ]);
  expect(rankingOf(counts, "consumer", 2)).toEqual({
    total: 8,
    ranked: [
      ["consumer_1", 4],
      ["consumer_2", 3],
    ],
  });
});

it("has nothing of nothing", () => {
  expect(rankingOf(new Map(), "clientIp", 50)).toEqual({ total: 0, ranked: [] });
});
