import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { type Collection, type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { CHARGE_SLOT_MS, type Consumer } from "../../src/consumer/consumer.ts";
import { emptyConsumer } from "../../src/consumer/new-consumer.ts";
import { JournalWriter } from "../../src/journal/journal-writer.ts";
import type { Key } from "../../src/key/key.ts";
import { DatabaseClock } from "../../src/mongo/database-clock.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import type { KnownKey } from "../../src/validation/account.ts";
import { BatchTransaction } from "../../src/validation/batch-transaction.ts";
import type { Outcome, SettleCall } from "../../src/validation/settle-call.ts";
import { createValidationStore } from "../../src/validation/store.ts";
import { plainCharge } from "../reference/plain-charge.ts";

/**
 * The settlement against the plain way: the same consumers, the same calls in the same order, once in batches, of which the
 * later ones rest on memory, and once by one update each.
 */
const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const RUN = { patienceMs: Number.POSITIVE_INFINITY, isGivenUp: () => false };

let client: MongoClient;
let db: Db;
let consumers: Collection<Consumer>;
let clock: DatabaseClock;
let sessions: SessionPool;
beforeAll(async () => {
  client = await MongoClient.connect(inject("mongodbUri"));
  db = client.db(`test_${randomBytes(8).toString("hex")}`);
  consumers = db.collection("consumers");
  clock = new DatabaseClock(db, 0);
  clock.forget();
  sessions = new SessionPool(client);
  await vi.waitUntil(() => clock.now());
});
afterAll(async () => {
  await clock.stop();
  await sessions.close();
  await db.dropDatabase();
  await client.close();
});

const amount = fc.oneof(fc.nat(12), fc.nat(1_000), fc.maxSafeNat());
/** Due or not by whole hours, so that the time between the two ways makes no difference. */
const refill = fc
  .record({
    hours: fc.integer({ min: 1, max: 48 }),
    dueHours: fc.integer({ min: -3, max: 200 }),
    refillCredit: amount,
    refillPolicy: fc.constantFrom("reset" as const, "add" as const),
    carryover: fc.option(fc.record({ enabled: fc.boolean(), max: amount }), { nil: null }),
  })
  .map(({ hours, dueHours, ...settings }) => ({
    ...{ every: `${hours}h`, everyMs: hours * HOUR_MS, ...settings },
    nextRefillAt: Math.floor(Date.now() / HOUR_MS) * HOUR_MS - dueHours * HOUR_MS - HOUR_MS / 2,
  }));
const pool = fc
  .record({
    limit: amount,
    used: amount,
    overage: fc.option(fc.record({ enabled: fc.boolean(), limit: fc.nat(20) }), { nil: null }),
    refill: fc.option(refill, { nil: null }),
    expiresAt: fc.option(fc.constantFrom(Date.now() - HOUR_MS, Date.now() + HOUR_MS), { nil: null, freq: 5 }),
  })
  .map((one) => ({ ...one, limit: Math.max(0, one.limit - 20), shadowLimit: null }));
const windowed = fc
  .record({ limit: fc.integer({ min: 1, max: 9 }), isOld: fc.boolean(), isOther: fc.boolean(), count: fc.nat(9) })
  .map(({ limit, isOld, isOther, count }) => {
    const windowSeconds = isOther ? DAY_SECONDS / 2 : DAY_SECONDS;
    const start = Math.floor(Date.now() / (windowSeconds * 1_000) - (isOld ? 1 : 0)) * windowSeconds * 1_000;
    return { rateLimit: { limit, windowSeconds: DAY_SECONDS }, rateWindow: { windowSeconds, start, count } };
  });
const consumer = fc.record({
  credits: fc.option(pool, { nil: null, freq: 6 }),
  limited: fc.option(windowed, { nil: null }),
  status: fc.constantFrom("active" as const, "active" as const, "active" as const, "disabled" as const),
});
const call = fc.record({ consumer: fc.nat(5), cost: fc.oneof(fc.nat(4), amount) });
const histories = fc.record({
  consumers: fc.array(consumer, { minLength: 6, maxLength: 6 }),
  batches: fc.array(fc.array(call, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
});
type Generated = typeof consumer extends fc.Arbitrary<infer One> ? One : never;

async function store(generated: readonly Generated[]): Promise<Consumer[]> {
  const stored = generated.map(({ credits, limited, status }) => {
    return { ...emptyConsumer("project_1", Date.now()), ...limited, credits, status };
  });
  await consumers.insertMany(stored);
  return stored;
}

function knownKey(stored: Consumer): KnownKey {
  const key = { _id: "key_1", projectId: "project_1", consumerId: stored._id, status: "active", expiresAt: null };
  return {
    // The rest of a key is not looked at.
    key: key as Key,
    account: { consumer: stored, isKnown: true, sharedUntilMs: 0, unproven: 0, asOfMs: 0 },
    ...{ endsAtMs: Number.POSITIVE_INFINITY, valueEndsAtMs: Number.POSITIVE_INFINITY },
    ...{ revision: stored.revision, maskedValue: "********" },
  };
}

function settlement(): BatchTransaction {
  const validation = createValidationStore(db, 0);
  const journal = new JournalWriter({ nodeId: "node", prepareInsert: validation.prepareJournal, isDurable: false });
  const options = { store: validation, sessions, clock, journal, isDurable: false, clockOffsetMs: 0 };
  // Nobody has an address: not even the outbox is asked.
  const tell = () => Promise.reject(new Error("an event of nobody"));
  return new BatchTransaction({ ...options, forget: () => undefined, tell });
}

/** What a call came to: whether it passed, and the pool and window that it left. */
function seen(state: Pick<Consumer, "credits" | "rateWindow">, isValid: boolean) {
  return isValid ? { isValid, credits: state.credits, rateWindow: state.rateWindow } : { isValid };
}

it("the batch answers and charges as the plain way does, call by call, whatever the consumers", {
  timeout: 120_000,
}, async () => {
  const transaction = settlement();
  const journalled = { plain: 0, valid: 0 };
  await fc.assert(
    fc.asyncProperty(histories, async ({ consumers: generated, batches }) => {
      const one = await store(generated);
      const other = await store(generated);
      const keys = one.map(knownKey);
      for (const batch of batches) {
        const calls = batch.map(({ consumer: index, cost }): SettleCall => {
          const rest = {
            apiId: undefined,
            isApiKnown: false,
            verdictId: undefined,
            textLength: 0,
            arrivedMs: 0,
            writeRow: () => "[]",
          };
          return { known: keys[index] as KnownKey, cost, ...rest };
        });
        const { outcomes, durable } = await transaction.run(calls, RUN);
        await durable;
        const answered = outcomes.map((outcome: Outcome) => {
          if (typeof outcome === "string") throw new Error(outcome);
          return seen(outcome.meter, outcome.code === "VALID");
        });
        const plain: ReturnType<typeof seen>[] = [];
        for (const { consumer: index, cost } of batch) {
          const charged = await plainCharge(db, other[index] as Consumer, cost);
          plain.push(seen(charged ?? { credits: null, rateWindow: null }, charged !== undefined));
          journalled.plain++;
          if (charged !== undefined) journalled.valid++;
        }
        expect(answered).toEqual(plain);
      }
      const left = async (stored: readonly Consumer[]) => {
        const found = await consumers.find({ _id: { $in: stored.map(({ _id }) => _id) } }).toArray();
        const byId = new Map(found.map((each) => [each._id, each]));
        return stored.map(({ _id }) => byId.get(_id)).map((each) => [each?.credits, each?.rateWindow, each?.revision]);
      };
      expect(await left(one)).toEqual(await left(other));
    }),
    { numRuns: 60 },
  );
  expect(journalled.plain).toBeGreaterThan(500);
  expect(journalled.valid).toBeGreaterThan(100);
});

it("a charge marks the half minute of the database's clock in which it was made, in every way that it can take", async () => {
  const credits = { limit: 100, used: 0, shadowLimit: null, overage: null, refill: null, expiresAt: null };
  const [stored] = await store([{ credits, limited: null, status: "active" }]);
  const known = knownKey(stored as Consumer);
  const transaction = settlement();
  for (const isKnown of [true, false, true]) {
    known.account.isKnown = isKnown;
    const rest = {
      apiId: undefined,
      isApiKnown: false,
      verdictId: undefined,
      textLength: 0,
      arrivedMs: 0,
      writeRow: () => "[]",
    };
    await (await transaction.run([{ known, cost: 1, ...rest }], RUN)).durable;
    const [{ chargeSlot, slot } = { chargeSlot: 0, slot: -1 }] = await consumers
      .aggregate([
        { $match: { _id: stored?._id } },
        { $project: { chargeSlot: 1, slot: { $floor: { $divide: [{ $toDouble: "$$NOW" }, CHARGE_SLOT_MS] } } } },
      ])
      .toArray();
    expect([slot, slot - 1]).toContain(chargeSlot);
  }
});
