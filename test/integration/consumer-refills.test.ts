import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, type LaterNodes, MARGIN_MS, openLaterNodes } from "../harness/later-nodes.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let later: LaterNodes;
beforeAll(async () => {
  service = await startService();
  later = openLaterNodes(service);
});
afterAll(async () => {
  await later.stop();
  await service.close();
});

const MAX = 2 ** 53 - 1;
const afterDays = (days: number) => later.after(days * DAY_MS + MARGIN_MS);
const details = async (consumerId: string, node = service) => await node.ok("/consumer/details", { consumerId });

/** A consumer whose pool has so many credits used. */
async function createPool(credits: object, used: number): Promise<{ consumerId: string; key: string }> {
  const made = await createConsumerWithKey(service, { credits });
  await service.ok("/consumer/update", { consumerId: made.consumerId, credits: { used } });
  return made;
}

const daily = (refillCredit: number, more: object = {}) => ({ refill: { every: "1d", refillCredit, ...more } });
const rollOver = (max: number) => ({ carryover: { enabled: true, max } });
const overage = (limit: number) => ({ overage: { enabled: true, limit } });
const ADD = { refillPolicy: "add" };

/** [limit, used, remaining, overageUsed] */
type Amounts = [number, number, number, number];
interface Case {
  title: string;
  credits: object;
  used: number;
  /** By the days that have passed, with nothing spent in them. */
  expected: Record<number, Amounts>;
}

// Worked out by hand, interval for interval.
const CASES: Case[] = [
  {
    title: "reset: a fresh pool each interval",
    credits: { limit: 100, ...daily(50) },
    used: 30,
    expected: { 0: [100, 30, 70, 0], 1: [50, 0, 50, 0], 2: [50, 0, 50, 0], 5: [50, 0, 50, 0] },
  },
  {
    title: "reset: what was left above the carryover's bound is lost",
    credits: { limit: 100, ...daily(50, rollOver(20)) },
    used: 30,
    expected: { 1: [70, 0, 70, 0], 2: [70, 0, 70, 0], 5: [70, 0, 70, 0] },
  },
  {
    // 70 left; 50 + 70, 50 + 120, 50 + 170 = 220, of which 200 roll over: 250.
    title: "reset: what is carried over is carried over again, up to the bound",
    credits: { limit: 100, ...daily(50, rollOver(200)) },
    used: 30,
    expected: { 1: [120, 0, 120, 0], 2: [170, 0, 170, 0], 5: [250, 0, 250, 0] },
  },
  {
    title: "reset: a carryover that is not enabled carries nothing over",
    credits: { limit: 100, ...daily(50, { carryover: { enabled: false, max: 20 } }) },
    used: 30,
    expected: { 1: [50, 0, 50, 0], 5: [50, 0, 50, 0] },
  },
  {
    title: "reset: overage is forgiven, and nothing is left to roll over",
    credits: { limit: 10, ...overage(5), ...daily(50, rollOver(20)) },
    used: 13,
    expected: { 0: [10, 13, 0, 3], 1: [50, 0, 50, 0], 2: [70, 0, 70, 0], 5: [70, 0, 70, 0] },
  },
  {
    title: "reset: a refill of nothing leaves what rolls over",
    credits: { limit: 100, ...daily(0, rollOver(20)) },
    used: 30,
    expected: { 1: [20, 0, 20, 0], 2: [20, 0, 20, 0], 5: [20, 0, 20, 0] },
  },
  {
    title: "add: the pool grows, and what was used stays used",
    credits: { limit: 100, ...daily(50, ADD) },
    used: 30,
    expected: { 1: [150, 30, 120, 0], 2: [200, 30, 170, 0], 5: [350, 30, 320, 0] },
  },
  {
    // 70 left, cut to 60, and 50 more: 110 left, cut to 60, and 50 more.
    title: "add: what is left is cut to the carryover's bound before the top-up",
    credits: { limit: 100, ...daily(50, { ...ADD, ...rollOver(60) }) },
    used: 30,
    expected: { 1: [140, 30, 110, 0], 2: [140, 30, 110, 0], 5: [140, 30, 110, 0] },
  },
  {
    title: "add: a carryover of at most nothing leaves the top-up alone",
    credits: { limit: 100, ...daily(50, { ...ADD, ...rollOver(0) }) },
    used: 30,
    expected: { 1: [80, 30, 50, 0], 5: [80, 30, 50, 0] },
  },
  {
    title: "add: overage is repaid first",
    credits: { limit: 10, ...overage(100), ...daily(50, ADD) },
    used: 75,
    expected: { 0: [10, 75, 0, 65], 1: [60, 75, 0, 15], 2: [110, 75, 35, 0], 5: [260, 75, 185, 0] },
  },
  {
    // Left: -65, -15, 35; cut to 20 and 50 more: 70 from then on.
    title: "add: overage is repaid first, and then what is left is bounded",
    credits: { limit: 10, ...overage(100), ...daily(50, { ...ADD, ...rollOver(20) }) },
    used: 75,
    expected: { 1: [60, 75, 0, 15], 2: [110, 75, 35, 0], 5: [145, 75, 70, 0] },
  },
  {
    title: "add: stops at the largest number, together with the overage",
    credits: { limit: MAX - 100, ...overage(40), ...daily(30, ADD) },
    used: 7,
    expected: { 1: [MAX - 70, 7, MAX - 77, 0], 2: [MAX - 40, 7, MAX - 47, 0], 5: [MAX - 40, 7, MAX - 47, 0] },
  },
  {
    title: "reset: stops at the largest number too",
    credits: { limit: MAX, ...daily(MAX, rollOver(MAX)) },
    used: 7,
    expected: { 1: [MAX, 0, MAX, 0], 2: [MAX, 0, MAX, 0], 5: [MAX, 0, MAX, 0] },
  },
];

describe("a refill", () => {
  it.each(CASES)("$title", async ({ credits, used, expected }) => {
    const { consumerId, key } = await createPool(credits, used);
    const first = (await details(consumerId)).credits.refill.nextRefillAt;
    for (const [days, [limit, usedThen, remaining, overageUsed]] of Object.entries(expected)) {
      const node = await afterDays(Number(days));
      const nextRefillAt = first + Number(days) * DAY_MS;
      const then = (await details(consumerId, node)).credits;
      expect(then, `after ${days} days`).toMatchObject({ limit, used: usedThen, remaining, overageUsed });
      expect(then.refill, `after ${days} days`).toMatchObject({ nextRefillAt });
      const check = await node.ok("/key/validate", { key, credits: 0 });
      expect(check.credits).toMatchObject({ limit, used: usedThen, remaining, nextRefillAt });
      const listed = await node.ok("/consumer/list", { search: consumerId });
      expect(listed.consumers[0].credits).toEqual({ limit, used: usedThen, remaining, refill: { nextRefillAt } });
      const { credits: beside } = await node.ok("/consumer/keys", { consumerId });
      expect(beside).toEqual({ limit, used: usedThen, remaining });
    }
  });

  it.each(CASES)(
    "comes to the same when each interval is settled by itself. $title",
    async ({ credits, used, expected }) => {
      const { consumerId } = await createPool(credits, used);
      for (const days of [0, 1, 2, 3, 4, 5]) {
        const node = await afterDays(days);
        const settled = (await node.ok("/consumer/update", { consumerId, externalId: `day ${days}` })).credits;
        const amounts = [settled.limit, settled.used, settled.remaining, settled.overageUsed];
        if (expected[days] !== undefined) expect(amounts, `after ${days} days`).toEqual(expected[days]);
      }
    },
  );

  it("comes at its own times, whenever the pool is touched in between", async () => {
    const { consumerId, key } = await createPool({ limit: 10, ...daily(4, { ...ADD, every: "36h" }) }, 0);
    const first = (await details(consumerId)).credits.refill.nextRefillAt;
    const touched = [];
    for (const hours of [35, 37, 71, 73, 109, 200]) {
      const node = await later.after(hours * HOUR_MS);
      const { credits } = await node.ok("/key/validate", { key });
      touched.push([hours, credits.limit, credits.used, (credits.nextRefillAt - first) / (36 * HOUR_MS)]);
    }
    expect(touched).toEqual([
      [35, 10, 1, 0],
      [37, 14, 2, 1],
      [71, 14, 3, 1],
      [73, 18, 4, 2],
      [109, 22, 5, 3],
      [200, 30, 6, 5],
    ]);
  });

  it("fills a pool that was spent, and what is spent after it counts from then", async () => {
    const { consumerId, key } = await createPool({ limit: 3, ...daily(5, rollOver(2)) }, 0);
    const spend = async (node: TestService, credits: number) => {
      const { code, credits: pool } = await node.ok("/key/validate", { key, credits });
      return [code, pool.limit, pool.used, pool.remaining];
    };
    expect(await spend(service, 3)).toEqual(["VALID", 3, 3, 0]);
    expect(await spend(service, 1)).toEqual(["USAGE_EXCEEDED", 3, 3, 0]);
    const [one, two] = [await afterDays(1), await afterDays(2)];
    expect(await spend(one, 1)).toEqual(["VALID", 5, 1, 4]);
    // 4 are left, of which 2 roll over.
    expect(await spend(two, 7)).toEqual(["VALID", 7, 7, 0]);
    expect(await spend(two, 1)).toEqual(["USAGE_EXCEEDED", 7, 7, 0]);
    expect((await details(consumerId, two)).credits).toMatchObject({ limit: 7, used: 7, remaining: 0 });
  });
});
