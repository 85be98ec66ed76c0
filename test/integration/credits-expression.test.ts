import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { type Collection, type Document, Long, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { CREDITS_MAX, covers, type Pool, remaining, settle } from "../../src/credits/pool.ts";
import { databaseNow } from "../../src/mongo/database-time.ts";
import { poolCovers, settledCredits } from "../reference/pool-expression.ts";

interface Vector {
  name: string;
  pool: Pool;
  nowMs: number;
  expect: { limit: number; used: number; remaining: number; nextRefillAt: number | null };
}

/** A pool as it is stored, with the time at which it is looked at; all amounts as the driver stores numbers. */
interface Stored {
  _id: number;
  credits: Pool;
  nowMs: number;
}

const file = new URL("../vectors/credits.json", import.meta.url);
const VECTORS = JSON.parse(readFileSync(file, "utf8")) as Vector[];
const NOW = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const DIFFERENT_POOLS = 600;

let client: MongoClient;
let pools: Collection<Stored>;
beforeAll(async () => {
  client = await MongoClient.connect(inject("mongodbUri"));
  pools = client.db(`test_${randomBytes(8).toString("hex")}`).collection("pools");
});
afterAll(async () => {
  await client.db(pools.dbName).dropDatabase();
  await client.close();
});

/** What the database makes of pools at a time: each settled, and whether it covers each of the costs. */
async function settleInDatabase(credits: Pool[], now: Document | string | number, costs: number[]) {
  await pools.deleteMany({});
  await pools.insertMany(credits.map((pool, index) => ({ _id: index, credits: pool, nowMs: NOW })));
  // The expressions take an expression; a number is one, and its type has to be that of the clock's.
  const time = typeof now === "number" ? { $toDouble: { $literal: now } } : now;
  const covered = Object.fromEntries(costs.map((cost, index) => [`cost${index}`, poolCovers("$settled", cost, time)]));
  const rows = await pools
    .aggregate([{ $sort: { _id: 1 } }, { $addFields: { settled: settledCredits(time) } }, { $addFields: covered }])
    .toArray();
  return rows.map((row) => ({ settled: row.settled as Pool, covered: costs.map((_, index) => row[`cost${index}`]) }));
}

/** The same by pool.ts. */
function settleHere(credits: Pool[], nowMs: number, costs: number[]) {
  return credits.map((pool) => {
    const settled = settle(pool, nowMs);
    return { settled, covered: costs.map((cost) => covers(settled, cost, nowMs)) };
  });
}

describe("the expression of the database", () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))(
    "%s",
    async (_name, { pool, nowMs, expect: wanted }) => {
      const costs = [0, 1, wanted.remaining, wanted.remaining + 1];
      const [row] = await settleInDatabase([pool], nowMs, costs);
      const settled = row?.settled ?? pool;
      expect({
        limit: settled.limit,
        used: settled.used,
        remaining: remaining(settled, nowMs),
        nextRefillAt: settled.refill?.nextRefillAt ?? null,
      }).toEqual(wanted);
      expect([row]).toEqual(settleHere([pool], nowMs, costs));
    },
  );

  it("settles and covers like pool.ts, whatever the pool", { timeout: 60_000 }, async () => {
    const amount = fc.oneof(
      fc.nat(20),
      fc.nat(100_000),
      fc.maxSafeNat(),
      fc.nat(50).map((less) => CREDITS_MAX - less),
    );
    const refill = fc
      .record({
        hours: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 87_600 })),
        missed: fc.oneof(fc.integer({ min: -1, max: 5 }), fc.integer({ min: -1, max: 1_000_000 })),
        lateMs: fc.oneof(fc.constant(0), fc.nat(HOUR_MS - 1)),
        refillCredit: amount,
        refillPolicy: fc.constantFrom("reset" as const, "add" as const),
        carryover: fc.option(fc.record({ enabled: fc.boolean(), max: amount }), { nil: null }),
      })
      .map(({ hours, missed, lateMs, ...settings }) => {
        const everyMs = hours * HOUR_MS;
        return { every: `${hours}h`, everyMs, ...settings, nextRefillAt: NOW - missed * everyMs - lateMs };
      });
    // `used` is not bounded by limit and overage: an update may have lowered them since.
    const pool = fc.record({
      limit: amount,
      used: amount,
      shadowLimit: fc.option(amount, { nil: null }),
      overage: fc.option(fc.record({ enabled: fc.boolean(), limit: amount }), { nil: null }),
      refill: fc.option(refill, { nil: null, freq: 20 }),
      expiresAt: fc.option(fc.integer({ min: NOW - 3, max: NOW + 3 }), { nil: null }),
    });
    const lawful = pool.map(({ overage, ...rest }) => ({
      ...rest,
      overage: overage && { ...overage, limit: Math.min(overage.limit, CREDITS_MAX - rest.limit) },
    }));
    const batches = fc.array(lawful, { minLength: 50, maxLength: 100 });
    const costs = fc.tuple(fc.constant(0), fc.constant(1), amount, amount);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(batches, costs, async (credits, asked) => {
        compared += credits.length;
        expect(await settleInDatabase(credits, NOW, asked)).toEqual(settleHere(credits, NOW, asked));
      }),
      { numRuns: 20 },
    );
    expect(compared).toBeGreaterThan(DIFFERENT_POOLS);
  });

  it("takes amounts in 64-bit integers, which sums of 32-bit ones become, for the same", async () => {
    const credits = VECTORS.map(({ pool }) => pool);
    const long = credits.map((pool) => ({
      ...pool,
      limit: Long.fromNumber(pool.limit),
      used: Long.fromNumber(pool.used),
    }));
    // The driver writes such numbers as they are, and reads them as plain ones.
    const rows = await settleInDatabase(long as unknown as Pool[], NOW, [0, 1, 50]);
    expect(rows).toEqual(settleHere(credits, NOW, [0, 1, 50]));
  });

  it("reads a clock from the document too, as the charge does", async () => {
    const credits = VECTORS.filter(({ nowMs }) => nowMs === NOW).map(({ pool }) => pool);
    expect(await settleInDatabase(credits, "$nowMs", [1, 50])).toEqual(settleHere(credits, NOW, [1, 50]));
  });
});

it("databaseNow is the clock of the database, shifted by the setting", async () => {
  await pools.deleteMany({});
  await pools.insertOne({ _id: 0, credits: VECTORS[0]?.pool as Pool, nowMs: NOW });
  const [row] = await pools
    .aggregate([{ $project: { plain: databaseNow(0), shifted: databaseNow(-86_400_000) } }])
    .toArray();
  expect(row?.plain - row?.shifted).toBe(86_400_000);
  expect(Math.abs(row?.plain - Date.now())).toBeLessThan(60_000);
});
