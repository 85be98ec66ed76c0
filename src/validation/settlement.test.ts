import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { emptyConsumer } from "../consumer/new-consumer.ts";
import type { Key } from "../key/key.ts";
import { type CommittedBatch, Contended, type RunOptions } from "./batch-transaction.ts";
import type { Outcome, SettleCall } from "./settle-call.ts";
import { Settlement } from "./settlement.ts";

function callOf(consumerId: string, cost = 1, arrivedMs = performance.now(), textLength = 0): SettleCall {
  const consumer = { ...emptyConsumer("project_1", 0), _id: consumerId };
  const known = {
    // A settlement looks at no more of a key.
    key: { _id: "key_1", consumerId } as Key,
    account: { consumer, isKnown: true, sharedUntilMs: 0, unproven: 0, asOfMs: 0 },
    ...{ endsAtMs: 0, valueEndsAtMs: 0, revision: 1, maskedValue: "" },
  };
  const rest = { apiId: undefined, isApiKnown: false, verdictId: undefined, writeRow: () => "[]" };
  return { known, cost, arrivedMs, textLength, ...rest };
}

/** A settlement whose batches are recorded, and answered by the cost of each call. */
function setUp(work: (calls: readonly SettleCall[], options: RunOptions) => Promise<void> = async () => undefined) {
  const batches: SettleCall[][] = [];
  const state = { underWay: 0, underWayMax: 0, proven: Promise.resolve(), isContested: false };
  const run = async (calls: readonly SettleCall[], options: RunOptions): Promise<CommittedBatch> => {
    state.underWayMax = Math.max(state.underWayMax, ++state.underWay);
    await sleep(2);
    state.underWay--;
    await work(calls, options);
    batches.push([...calls]);
    const outcomes = calls.map(({ known, cost }): Outcome => {
      const { consumer } = known.account;
      return { code: "VALID", consumer, meter: consumer, nowMs: 0, charged: cost, isRepeated: false };
    });
    return { outcomes, durable: state.proven, isContested: state.isContested };
  };
  return { settlement: new Settlement({ run }), batches, state };
}

const chargedOf = (outcome: Outcome) => (typeof outcome === "object" ? outcome.charged : outcome);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a settlement", () => {
  it("settles calls in the order of their arrival, one batch at a time, and answers each its own outcome", async () => {
    const { settlement, batches, state } = setUp();
    const costs = range(1_500);
    const outcomes = await Promise.all(costs.map((cost) => settlement.settle(callOf(`consumer_${cost % 7}`, cost))));
    expect(outcomes.map(chargedOf)).toEqual(costs);
    expect(batches.flat().map(({ cost }) => cost)).toEqual(costs);
    expect(state.underWayMax).toBe(1);
    expect(batches.length).toBeLessThan(10);
  });

  it("answers nobody before the batch is durable, and goes on with the next meanwhile", async () => {
    const { settlement, batches, state } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.proven = promise;
    const answered: number[] = [];
    const calls: Promise<number>[] = [];
    for (const cost of range(3)) {
      calls.push(settlement.settle(callOf("consumer_1", cost)).then(() => answered.push(cost)));
      await expect.poll(() => batches.length).toBe(cost + 1);
    }
    expect(answered).toEqual([]);
    resolve();
    await Promise.all(calls);
    expect(answered).toEqual([0, 1, 2]);
  });

  it("refuses calls that have waited too long before anything is done for them", async () => {
    const { settlement, batches } = setUp();
    const late = settlement.settle(callOf("consumer_1", 1, performance.now() - 2_000));
    const inTime = settlement.settle(callOf("consumer_1", 2));
    await expect(late).rejects.toThrow("OVERLOADED");
    expect(chargedOf(await inTime)).toBe(2);
    expect(batches.flat().map(({ cost }) => cost)).toEqual([2]);
  });

  it("refuses more than 10,000 that wait, and takes calls again when there is room", async () => {
    const { settlement } = setUp();
    const settled = range(10_000).map((cost) => settlement.settle(callOf("consumer_1", cost)));
    expect(() => settlement.settle(callOf("consumer_1"))).toThrow("OVERLOADED");
    await Promise.all(settled);
    expect(chargedOf(await settlement.settle(callOf("consumer_1", 5)))).toBe(5);
  });

  it("bounds a batch by its texts too", async () => {
    const { settlement, batches } = setUp();
    await Promise.all(
      range(100).map((cost) => settlement.settle(callOf("consumer_1", cost, performance.now(), 99_999))),
    );
    expect(Math.max(...batches.map(({ length }) => length))).toBe(11);
  });

  it("sets aside the consumer that others hold: nobody else waits, and its calls keep their order", async () => {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const { settlement, batches } = setUp(async (calls, { patienceMs }) => {
      if (!calls.some(({ known }) => known.key.consumerId === "consumer_held")) return;
      if (patienceMs < 1_000) throw new Contended();
      await freed;
    });
    const ofOthers = range(20).map((cost) => settlement.settle(callOf(`consumer_${cost}`, cost)));
    const held = range(5).map((cost) => settlement.settle(callOf("consumer_held", cost)));
    await Promise.all(ofOthers);
    held.push(settlement.settle(callOf("consumer_held", 5)));
    expect(chargedOf(await settlement.settle(callOf("consumer_1", 9)))).toBe(9);
    free();
    expect((await Promise.all(held)).map(chargedOf)).toEqual(range(6));
    const order = batches.flat().filter(({ known }) => known.key.consumerId === "consumer_held");
    expect(order.map(({ cost }) => cost)).toEqual(range(6));
  });

  it("sets aside at once whom others are known to charge, and settles the rest together", async () => {
    const isHeld = ({ known }: SettleCall) => known.key.consumerId.startsWith("consumer_held");
    const { settlement, batches } = setUp(async (calls, { patienceMs }) => {
      if (calls.some(isHeld) && patienceMs < 1_000) throw new Contended();
    });
    const ofOthers = range(20).map((cost) => callOf(`consumer_${cost}`, cost));
    const held = range(3).map((cost) => callOf(`consumer_held_${cost}`, cost));
    for (const { known } of held) known.account.sharedUntilMs = performance.now() + 10_000;
    await Promise.all([...ofOthers, ...held].map((call) => settlement.settle(call)));
    expect(batches.map(({ length }) => length).sort((one, other) => one - other)).toEqual([1, 1, 1, 20]);
  });

  it("gives a hot consumer that others charge too a lane, and there others a turn; nobody else waits for it", async () => {
    const { settlement, batches, state } = setUp();
    const hot = (cost: number) => {
      const call = callOf("consumer_hot", cost);
      call.known.account.sharedUntilMs = performance.now() + 10_000;
      return settlement.settle(call);
    };
    state.isContested = true;
    // The first batch shows it, while the next wait.
    const first = range(10).map(hot);
    await sleep(1);
    const second = range(10).map((cost) => hot(10 + cost));
    await Promise.all([...first, ...second]);
    const { promise, resolve } = Promise.withResolvers<void>();
    state.proven = promise;
    const held = [hot(20)];
    await expect.poll(() => batches.length).toBe(3);
    held.push(hot(21));
    await sleep(10);
    held.push(hot(22));
    await sleep(20);
    // Its lane waits for the answers of the first of the three.
    expect(batches.slice(2).map((batch) => batch.map(({ cost }) => cost))).toEqual([[20]]);
    state.isContested = false;
    state.proven = Promise.resolve();
    expect(chargedOf(await settlement.settle(callOf("consumer_1", 9)))).toBe(9);
    resolve();
    await Promise.all(held);
    expect(batches.flat().map(({ cost }) => cost)).toEqual([...range(21), 9, 21, 22]);
  });

  it("refuses who waits behind a batch that hangs in time", { timeout: 10_000 }, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { settlement, batches } = setUp(async ([first]) => (first?.cost === 13 ? promise : undefined));
    const hanging = settlement.settle(callOf("consumer_1", 13));
    await sleep(10);
    const startMs = performance.now();
    await expect(settlement.settle(callOf("consumer_1", 1))).rejects.toThrow("OVERLOADED");
    expect(performance.now() - startMs).toBeLessThan(2_300);
    resolve();
    await hanging;
    expect(batches.flat()).toHaveLength(1);
  });

  it("tells all callers of a batch that failed, and settles the next", async () => {
    const { settlement } = setUp(async ([first]) => {
      if (first?.cost === 13) throw new Error("out of reach");
    });
    const failed = range(3).map(() => settlement.settle(callOf("consumer_1", 13)));
    for (const one of failed) await expect(one).rejects.toThrow("out of reach");
    expect(chargedOf(await settlement.settle(callOf("consumer_1", 1)))).toBe(1);
  });

  it("gives up a batch that hangs, whose late failure harms nobody", { timeout: 10_000 }, async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    let given = false;
    const { settlement } = setUp(async ([first], { isGivenUp }) => {
      if (first?.cost !== 13) return;
      await promise.catch(() => undefined);
      given = isGivenUp();
      throw new Error("late");
    });
    await expect(settlement.settle(callOf("consumer_1", 13))).rejects.toThrow("DATABASE_UNAVAILABLE");
    expect(chargedOf(await settlement.settle(callOf("consumer_1", 1)))).toBe(1);
    reject(new Error("now"));
    await sleep(10);
    expect(given).toBe(true);
  });
});
