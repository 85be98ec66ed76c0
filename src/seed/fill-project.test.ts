import { expect, it } from "vitest";
import type { Consumer } from "../consumer/consumer.ts";
import { CREDITS_MAX, overageLimit, settle } from "../credits/pool.ts";
import type { Key } from "../key/key.ts";
import { createSeededRandom } from "../lib/seeded-random.ts";
import { createKeyring } from "../secrets/keyring.ts";
import { AGE_MAX_MS, type Filled, fillProject, generateBatches } from "./fill-project.ts";
import { prepareProject } from "./prepare-project.ts";
import type { Batch, SeedStore } from "./store.ts";

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 24 * 3_600_000;
const keyring = createKeyring(Buffer.alloc(32, 1));
const nothing = async () => [];
const ignore = async () => undefined;
const emptyStore: SeedStore = {
  ...{ findProjects: nothing, findPlans: nothing, findApis: nothing },
  ...{ insertPlans: ignore, insertApis: ignore, insertBatch: ignore },
};
const prepared = await prepareProject(emptyStore, "project_1", NOW_MS - AGE_MAX_MS);

function fillOptions(seed: number, consumers: number, keysPerConsumer = 1) {
  const surroundings = { projectId: "project_1", ...prepared, keysPerConsumer, nowMs: NOW_MS, clockOffsetMs: 0 };
  return { random: createSeededRandom(seed), surroundings, valueOptions: { keyring, recoverable: true }, consumers };
}

function generate(seed: number, consumers: number, keysPerConsumer = 1): Batch {
  const batches = [...generateBatches(fillOptions(seed, consumers, keysPerConsumer))];
  return { consumers: batches.flatMap((batch) => batch.consumers), keys: batches.flatMap(({ keys }) => keys) };
}

const { consumers, keys } = generate(42, 5_000, 2);

/** How many of the consumers, as a fraction. */
const share = (test: (consumer: Consumer) => unknown) => consumers.filter(test).length / consumers.length;
/** The data is the same in every run, so that chance has no say in it. */
const expectShare = (expected: number, test: (consumer: Consumer) => unknown) =>
  expect(Math.abs(share(test) / expected - 1)).toBeLessThan(0.15);
const pools = consumers.flatMap(({ credits }) => credits ?? []);

it("the same seed gives the same data apart from ids and values, another seed gives other data", () => {
  const known = (batch: Batch) => [
    batch.consumers.map(({ _id, stamp, ...consumer }) => consumer),
    batch.keys.map(({ _id, consumerId, hash, ciphertext, lastSix, ...key }) => key),
  ];
  expect(known(generate(7, 300))).toEqual(known(generate(7, 300)));
  expect(known(generate(8, 300))).not.toEqual(known(generate(7, 300)));
});

it("there are exactly as many consumers and keys as were asked for, each key once and with its consumer", () => {
  expect([consumers.length, keys.length]).toEqual([5_000, 10_000]);
  const ids = [...consumers, ...keys].map(({ _id }) => _id);
  expect(new Set(ids).size).toBe(15_000);
  const counts = new Map<string, number>();
  for (const { consumerId } of keys) counts.set(consumerId, (counts.get(consumerId) ?? 0) + 1);
  for (const { _id, keyCount } of consumers) expect(keyCount).toBe(counts.get(_id));
  const keyless = generate(1, 10, 0);
  expect(keyless.keys).toEqual([]);
  expect(keyless.consumers.map(({ keyCount }) => keyCount)).toEqual(Array(10).fill(0));
});

it("ids sort by age, over two years, with more new consumers from year to year", () => {
  const times = consumers.map(({ createdAt }) => createdAt.getTime());
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  const byId = consumers.toSorted((one, other) => (one._id < other._id ? -1 : 1));
  expect(byId.map(({ createdAt }) => createdAt.getTime())).toEqual(times);
  expect(times[0]).toBeLessThan(NOW_MS - AGE_MAX_MS + 10 * DAY_MS);
  expect(times.at(-1)).toBeGreaterThan(NOW_MS - 5 * DAY_MS);
  expect(share(({ createdAt }) => createdAt.getTime() > NOW_MS - AGE_MAX_MS / 2)).toBeGreaterThan(0.55);
});

it("nothing that has happened is in the future, or before the consumer was made", () => {
  const within = (consumer: Consumer, time: Date | number | null) => {
    if (time === null) return;
    expect(Number(time)).toBeGreaterThanOrEqual(consumer.createdAt.getTime());
    expect(Number(time)).toBeLessThanOrEqual(consumer.deletedAt?.getTime() ?? NOW_MS);
  };
  const byId = new Map(consumers.map((consumer) => [consumer._id, consumer]));
  for (const consumer of consumers) {
    within(consumer, consumer.updatedAt);
    expect(consumer.deletedAt === null || consumer.deletedAt.getTime() <= NOW_MS).toBe(true);
    expect(consumer.rateWindow === null || consumer.rateWindow.start <= NOW_MS).toBe(true);
  }
  for (const { consumerId, createdAt } of keys) within(byId.get(consumerId) as Consumer, createdAt);
});

it("statuses are spread as in a real project, and who is deleted can be restored for a day at least", () => {
  expectShare(0.92, ({ status }) => status === "active");
  expectShare(0.05, ({ status }) => status === "disabled");
  expectShare(0.03, ({ status }) => status === "deleted");
  for (const { status, deletedAt } of consumers) {
    expect(deletedAt !== null).toBe(status === "deleted");
    if (deletedAt) expect(deletedAt.getTime()).toBeGreaterThanOrEqual(NOW_MS - 6 * DAY_MS);
  }
});

it("70 % hold one of the five plans, 15 % have credits of their own, 15 % are unlimited", () => {
  expectShare(0.7, ({ planId }) => planId !== null);
  expectShare(0.15, ({ planId, credits }) => planId === null && credits !== null);
  expectShare(0.15, ({ credits }) => credits === null);
  expect(new Set(consumers.flatMap(({ planId }) => planId ?? []))).toEqual(new Set(prepared.plans.map(([p]) => p._id)));
  for (const { planId, planRevision } of consumers) expect(planRevision).toBe(planId === null ? null : 1);
});

it("pools are of every kind, and hold what charges can have left in them", () => {
  const kinds = new Set(pools.flatMap(({ refill }) => (refill ? `${refill.every} ${refill.refillPolicy}` : [])));
  expect([...kinds].sort()).toEqual(["1d add", "1d reset", "30d add", "30d reset", "7d add", "7d reset"]);
  expect(pools.some(({ refill }) => refill?.carryover?.enabled)).toBe(true);
  expect(pools.some(({ expiresAt }) => expiresAt !== null && expiresAt < NOW_MS)).toBe(true);
  expect(pools.some(({ expiresAt }) => expiresAt !== null && expiresAt > NOW_MS)).toBe(true);
  expect(pools.some(({ refill }) => refill !== null && refill.nextRefillAt < NOW_MS)).toBe(true);
  expect(pools.some(({ refill }) => refill !== null && refill.nextRefillAt > NOW_MS)).toBe(true);
  for (const pool of pools) {
    for (const amount of [pool.limit, pool.used, settle(pool, NOW_MS).limit])
      expect(Number.isSafeInteger(amount)).toBe(true);
    expect(pool.used).toBeLessThanOrEqual(pool.limit + overageLimit(pool));
    expect(pool.limit + overageLimit(pool)).toBeLessThanOrEqual(CREDITS_MAX);
  }
});

it("most pools are little used, and a few nearly, wholly or more than wholly", () => {
  const used = (from: number, to: number) =>
    pools.filter((pool) => pool.used >= from * pool.limit && pool.used < to * pool.limit);
  expect(used(0, 0.25).length / pools.length).toBeGreaterThan(0.6);
  for (const [from, to] of [
    [0.9, 1],
    [1, 1.000001],
    [1.000001, 2],
  ] as const) {
    expect(used(from, to).length).toBeGreaterThan(0);
    expect(used(from, to).length / pools.length).toBeLessThan(0.15);
  }
});

it("what callers set is varied: names in many scripts, none, long ones; tags, metadata, limits, expiries", () => {
  const names = consumers.map(({ name }) => name);
  expect(names.filter((name) => name === null).length).toBeGreaterThan(0);
  expect(names.some((name) => (name?.length ?? 0) > 150)).toBe(true);
  for (const script of [/\p{Script=Latin}/u, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Script=Cyrillic}/u, /🚀/u]) {
    expect(names.some((name) => name !== null && script.test(name))).toBe(true);
  }
  expect(new Set(names).size).toBeGreaterThan(3_000);
  expect(share(({ tags }) => tags.length > 0)).toBeGreaterThan(0.4);
  expectShare(0.7, ({ metadata }) => Object.keys(JSON.parse(metadata)).length > 0);
  expectShare(0.7, ({ externalId }) => externalId !== null);
  expectShare(0.4, ({ imageUrl }) => imageUrl !== null);
  expect(share(({ rateLimit, planId }) => rateLimit !== null && planId === null)).toBeGreaterThan(0.03);
  expectShare(0.03, ({ expiresAt }) => expiresAt !== null);
});

it("keys are looked up by the HMAC of their value, which only decrypts for that key", () => {
  const values = keys.map(({ _id, ciphertext }) => keyring.decryptKey(ciphertext as Buffer, _id));
  const isRight = ({ hash, lastSix, prefix }: Key, value = "") =>
    keyring.hashKey(value).equals(hash as Buffer) && value.endsWith(lastSix ?? "-") && value.startsWith(`${prefix}_`);
  expect(keys.every((key, index) => isRight(key, values[index]))).toBe(true);
  expect(keys.some(({ status }) => status === "disabled")).toBe(true);
  expect(keys.some(({ allowedApis }) => prepared.apiIds.includes(allowedApis[0] ?? ""))).toBe(true);
});

it("an abort lets the batches under way end, and what was added is counted", async () => {
  const controller = new AbortController();
  const stored: Batch[] = [];
  const insertBatch = async (batch: Batch) => {
    if (stored.push(batch) === 2) controller.abort(new Error("stopped"));
  };
  const filled: Filled = { consumers: 0, keys: 0, sample: undefined };
  const filling = fillProject(
    { ...fillOptions(1, 100_000), store: { insertBatch } },
    filled,
    () => {},
    controller.signal,
  );
  await expect(filling).rejects.toThrow("stopped");
  expect(filled.consumers).toBe(stored.reduce((sum, batch) => sum + batch.consumers.length, 0));
  expect(filled.keys).toBe(filled.consumers);
  expect(filled.consumers).toBe(10_000);
  expect(filled.sample?.value).toMatch(/^[a-z]+_[A-Za-z0-9]{33}$/);
});
