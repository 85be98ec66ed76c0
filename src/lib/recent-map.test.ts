import { expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";
import { createSeededRandom } from "./seeded-random.ts";

it("keeps what is used, and never more than it may", () => {
  const map = new RecentMap<number, number>(100);
  map.set(-1, 1);
  for (let number = 0; number < 10_000; number++) {
    map.set(number, number);
    expect(map.get(-1)).toBe(1);
    expect(map.get(number)).toBe(number);
    const kept = Array.from({ length: 200 }, (_, back) => number - back).filter((one) => map.get(one) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(100);
  }
});

it("keeps less of what weighs more", () => {
  const map = new RecentMap<number, number>(1_000, (weight) => weight);
  for (let number = 0; number < 100; number++) map.set(number, 100);
  expect(
    Array.from({ length: 100 }, (_, number) => map.get(number)).filter((one) => one !== undefined).length,
  ).toBeLessThan(12);
});

it("answers what was set last, and nothing that was deleted", () => {
  const random = createSeededRandom(5);
  const map = new RecentMap<number, number>(20);
  const truth = new Map<number, number>();
  for (let step = 0; step < 5_000; step++) {
    const key = random.integer(0, 40);
    if (random.integer(0, 4) === 0) {
      map.delete(key);
      truth.delete(key);
    } else if (random.integer(0, 1) === 0) {
      map.set(key, step);
      truth.set(key, step);
    }
    const found = map.get(key);
    if (found !== undefined) expect(found).toBe(truth.get(key));
  }
  map.clear();
  expect(map.get(0)).toBeUndefined();
});
