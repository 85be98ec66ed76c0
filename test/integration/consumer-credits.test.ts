import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, type LaterNodes, MARGIN_MS, openLaterNodes } from "../harness/later-nodes.ts";
import { expectProblem } from "../harness/problem.ts";
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
const tomorrow = () => later.after(DAY_MS + MARGIN_MS);
const poolOf = async (consumerId: string, node = service) =>
  (await node.ok("/consumer/details", { consumerId })).credits;
const change = async (consumerId: string, credits: object | null, node = service) =>
  (await node.ok("/consumer/update", { consumerId, credits })).credits;
const create = async (credits: object): Promise<string> =>
  (await service.ok("/consumer/create", { credits })).consumerId;
const rollOver = (max: number) => ({ enabled: true, max });

describe("the interval of a refill", () => {
  it.each<[string, string, number]>([
    ["1h", "1h", HOUR_MS],
    ["24h", "24h", DAY_MS],
    ["36h", "36h", 36 * HOUR_MS],
    ["7d", "7d", 7 * DAY_MS],
    ["30d", "30d", 30 * DAY_MS],
    ["3650d", "3650d", 3_650 * DAY_MS],
    ["87600h", "87600h", 3_650 * DAY_MS],
    ...[
      ...["", " ", "month", "1month", "1m", "30m", "1w", "1y", "60s", "P1D", "daily", "@daily", "0 0 * * *", "1"],
      ...["0h", "0d", "-1d", "+1d", "1.5d", "1e1d", "0x1d", "1H", "2D", " 2d", "2d ", "2 d", "2d2h", "d", "h", "2dd"],
      ...["3651d", "87601h", "999999999999999999999d", "Infinityd", "NaNd", "٢d", "２d", "$every", "2d\n", "2d\0"],
      "9".repeat(10_000).concat("d"),
    ].map((odd): [string, string, number] => [odd, "1d", DAY_MS]),
  ])("%j is %j", async (every, stored, lengthMs) => {
    const { consumerId, createdAt } = await service.ok("/consumer/create", {
      credits: { limit: 1, refill: { every, refillCredit: 1 } },
    });
    const { refill } = await poolOf(consumerId);
    expect([refill.every, refill.nextRefillAt - Date.parse(createdAt)]).toEqual([stored, lengthMs]);
  });

  it("starts anew only when it changes, also from one that is read as 1d to 1d", async () => {
    const consumerId = await create({ limit: 1, refill: { every: "monthly", refillCredit: 1 } });
    const { nextRefillAt } = (await poolOf(consumerId)).refill;
    const node = await later.after(HOUR_MS);
    for (const refill of [
      { every: "1d", refillCredit: 9 },
      { every: "weekly", refillCredit: 9, refillPolicy: "add" },
    ]) {
      expect((await change(consumerId, { refill }, node)).refill).toMatchObject({
        ...refill,
        every: "1d",
        nextRefillAt,
      });
    }
    const { refill } = await change(consumerId, { refill: { every: "2d", refillCredit: 9 } }, node);
    expect(refill.nextRefillAt - nextRefillAt).toBeGreaterThan(DAY_MS + HOUR_MS - MARGIN_MS);
    expect(refill.nextRefillAt - nextRefillAt).toBeLessThan(DAY_MS + HOUR_MS + MARGIN_MS);
  });
});

describe("a carryover", () => {
  const refill = { every: "1d", refillCredit: 1 };
  it.each<[string, object, object | null]>([
    ["within the refill", { refill: { ...refill, carryover: rollOver(3) } }, rollOver(3)],
    ["beside the refill", { refill, carryover: rollOver(3) }, rollOver(3)],
    ["at both places", { refill: { ...refill, carryover: rollOver(3) }, carryover: rollOver(7) }, rollOver(3)],
    ["at neither", { refill }, null],
    ["null at both", { refill: { ...refill, carryover: null }, carryover: null }, null],
  ])("%s is answered within the refill, when made and when changed", async (_title, credits, expected) => {
    const consumerId = await create({ limit: 1, ...credits });
    expect((await poolOf(consumerId)).refill.carryover).toEqual(expected);
    const other = await create({ limit: 1, refill: { ...refill, carryover: rollOver(99) } });
    expect((await change(other, credits)).refill.carryover).toEqual(expected);
  });

  it("alone changes the refill that is there, and null alone clears it", async () => {
    const consumerId = await create({ limit: 1, refill: { ...refill, refillPolicy: "add" } });
    const before = await poolOf(consumerId);
    const changed = await change(consumerId, { carryover: rollOver(5) });
    expect(changed).toEqual({ ...before, refill: { ...before.refill, carryover: rollOver(5) } });
    expect(await change(consumerId, { carryover: null })).toEqual(before);
  });

  it("is refused without a refill, by name", async () => {
    const consumerId = await create({ limit: 1 });
    const refuse = async (path: string, body: object) =>
      expectProblem(await service.call(path, body), 400, "invalid_argument", ["credits.carryover"]);
    await refuse("/consumer/create", { credits: { limit: 1, carryover: rollOver(1) } });
    await refuse("/consumer/update", { consumerId, credits: { carryover: rollOver(1) } });
    await change(consumerId, { refill });
    await refuse("/consumer/update", { consumerId, credits: { refill: null, carryover: rollOver(1) } });
  });
});

describe("a change of a pool whose refill is due", () => {
  const REFILL = { every: "1d", refillCredit: 5 };
  it.each<[string, object, object]>([
    ["used", { used: 3 }, { limit: 5, used: 3, remaining: 2 }],
    ["limit", { limit: 20 }, { limit: 20, used: 0, remaining: 20 }],
    ["refill: null", { refill: null }, { limit: 5, used: 0, remaining: 5, refill: null }],
    ["another refill", { refill: { every: "1d", refillCredit: 90 } }, { limit: 5, used: 0, remaining: 5 }],
    ["another policy", { refill: { ...REFILL, refillPolicy: "add" } }, { limit: 5, used: 0, remaining: 5 }],
    ["another interval", { refill: { ...REFILL, every: "1h" } }, { limit: 5, used: 0, remaining: 5 }],
    ["carryover", { carryover: rollOver(50) }, { limit: 5, used: 0, remaining: 5 }],
    ["overage", { overage: { enabled: true, limit: 1 } }, { limit: 5, used: 0, remaining: 5 }],
    ["nothing", {}, { limit: 5, used: 0, remaining: 5 }],
  ])("%s comes after the refill, which happened in time", async (_title, credits, expected) => {
    const consumerId = await create({ limit: 10, refill: REFILL });
    await change(consumerId, { used: 4 });
    expect(await change(consumerId, credits, await tomorrow())).toMatchObject(expected);
  });
});

describe("a pool", () => {
  it("that is lowered below what was used has nothing left, and never less; raised again it has the rest", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    await service.ok("/key/validate", { key, credits: 8 });
    expect(await change(consumerId, { limit: 5 })).toMatchObject({ limit: 5, used: 8, remaining: 0, overageUsed: 3 });
    expect((await service.ok("/key/validate", { key })).code).toBe("USAGE_EXCEEDED");
    expect(await change(consumerId, { limit: 9 })).toMatchObject({ limit: 9, used: 8, remaining: 1, overageUsed: 0 });
    await expect.poll(async () => (await service.ok("/key/validate", { key })).code).toBe("VALID");
  });

  it("of a smaller plan begins anew with used 0 beside the new limit", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 1_000 } });
    await service.ok("/key/validate", { key, credits: 700 });
    expect(await change(consumerId, { limit: 100, used: 0 })).toMatchObject({ limit: 100, used: 0, remaining: 100 });
    expect(await service.ok("/key/validate", { key })).toMatchObject({ code: "VALID", credits: { used: 1 } });
  });

  it("is unlimited with null, and begins with nothing used when it is limited again", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
    await service.ok("/key/validate", { key });
    expect(await change(consumerId, null)).toBe(null);
    const unlimited = async () => await service.ok("/key/validate", { key, credits: MAX });
    await expect.poll(unlimited).toMatchObject({ code: "VALID", credits: null });
    expect(await change(consumerId, { limit: 2 })).toMatchObject({ limit: 2, used: 0, remaining: 2, refill: null });
    await expect.poll(unlimited).toMatchObject({ code: "USAGE_EXCEEDED", credits: { limit: 2, used: 0 } });
  });

  it("is empty from the moment at which its credits expire, overage included, and whole again without that", async () => {
    const expiresAt = Date.now() + HOUR_MS;
    const credits = { limit: 10, expiresAt, overage: { enabled: true, limit: 5 } };
    const { consumerId, key } = await createConsumerWithKey(service, { credits });
    expect(await service.ok("/key/validate", { key })).toMatchObject({ code: "VALID", credits: { remaining: 9 } });
    const node = await later.after(HOUR_MS + MARGIN_MS);
    expect(await poolOf(consumerId, node)).toMatchObject({ limit: 10, used: 1, remaining: 0, expiresAt });
    expect((await node.ok("/consumer/keys", { consumerId })).credits).toEqual({ limit: 10, used: 1, remaining: 0 });
    expect((await node.ok("/key/validate", { key })).code).toBe("USAGE_EXCEEDED");
    expect(await change(consumerId, { expiresAt: null }, node)).toMatchObject({ used: 1, remaining: 9 });
    await expect.poll(async () => (await node.ok("/key/validate", { key })).code).toBe("VALID");
  });

  it.each<[object, object, string]>([
    [{ limit: MAX - 4, overage: { enabled: true, limit: 4 } }, { limit: MAX - 3 }, "credits.limit"],
    [{ limit: MAX - 4 }, { overage: { enabled: true, limit: 5 } }, "credits.overage.limit"],
  ])("of %j does not take %j: both together stay below 2^53", async (credits, refused, field) => {
    const consumerId = await create(credits);
    const answer = await service.call("/consumer/update", { consumerId, credits: refused });
    expectProblem(answer, 400, "invalid_argument", [field]);
    expect(await poolOf(consumerId)).toMatchObject(credits);
  });
});
