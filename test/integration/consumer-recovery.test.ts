import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  createOwner,
  expectDeleted,
  expectGone,
  expectRestored,
  remove,
  restore,
  verdicts,
} from "../harness/consumer-life.ts";
import { DAY_MS, type LaterNodes, MARGIN_MS, openLaterNodes } from "../harness/later-nodes.ts";
import { startService, type TestService } from "../harness/service.ts";

let service: TestService;
let later: LaterNodes;
beforeAll(async () => {
  service = await startService();
  later = openLaterNodes(service);
});
afterAll(() => service.close());
// A node of later on clears up what the next test needs.
afterEach(() => later.stop());

const beforeTheEnd = () => later.after(7 * DAY_MS - MARGIN_MS);
const afterTheEnd = () => later.after(7 * DAY_MS + MARGIN_MS);

describe("a deleted consumer", () => {
  it("can be restored until just before 7 days are over, with its keys and all that it had", async () => {
    const owner = await createOwner(service, {
      ...{ name: "kept", tags: ["t"], metadata: { a: 1 }, rateLimit: { limit: 5 } },
      credits: { limit: 5, shadowLimit: 3 },
    });
    await service.ok("/consumer/update", { consumerId: owner.consumerId, credits: { used: 2 } });
    const before = await service.ok("/consumer/details", { consumerId: owner.consumerId });
    await remove(service, owner.consumerId);
    const node = await beforeTheEnd();
    expect((await node.ok("/consumer/details", { consumerId: owner.consumerId })).status).toBe("deleted");
    expectRestored(await restore(node, owner.consumerId), owner.consumerId, 2);
    const { updatedAt: _updatedAt, ...after } = await node.ok("/consumer/details", { consumerId: owner.consumerId });
    expect(after).toEqual({ ...before, updatedAt: undefined });
    expect(await verdicts(node, owner.keys)).toEqual(["VALID", "VALID"]);
  });

  it("is gone with its keys once 7 days are over, for every call, before anything has cleared it up", async () => {
    const owner = await createOwner(service, { name: "gone", credits: { limit: 5 } });
    await remove(service, owner.consumerId);
    const node = await afterTheEnd();
    await expectGone(node, owner);
  });

  it("is gone 7 days after the first deletion, however often it was deleted since", async () => {
    const owner = await createOwner(service);
    const { body: first } = await remove(service, owner.consumerId);
    const again = await remove(await beforeTheEnd(), owner.consumerId);
    expectDeleted(again, owner.consumerId, false, 0);
    expect(again.body.deletedAt).toBe(first.deletedAt);
    await expectGone(await afterTheEnd(), owner);
  });

  it("has 7 days anew when it is deleted anew after a restoration", async () => {
    const owner = await createOwner(service);
    await remove(service, owner.consumerId);
    const node = await beforeTheEnd();
    await restore(node, owner.consumerId);
    expectDeleted(await remove(node, owner.consumerId), owner.consumerId, false, 2);
    expectRestored(
      await restore(await later.after(14 * DAY_MS - 2 * MARGIN_MS), owner.consumerId),
      owner.consumerId,
      2,
    );
  });

  it("can be removed for good until just before 7 days are over", async () => {
    const owner = await createOwner(service);
    await remove(service, owner.consumerId);
    expectDeleted(await remove(await beforeTheEnd(), owner.consumerId, true), owner.consumerId, true, 2);
    await expectGone(service, owner);
  });

  it("is granted the refills of the time in which it was deleted", async () => {
    const refill = { every: "1d", refillCredit: 10, refillPolicy: "add" };
    const { consumerId, keys } = await createOwner(service, { credits: { limit: 5, refill } });
    await remove(service, consumerId);
    const node = await beforeTheEnd();
    expect((await restore(node, consumerId)).body.credits).toMatchObject({ limit: 65, used: 0, remaining: 65 });
    expect(await node.ok("/key/validate", { key: keys[0] })).toMatchObject({ code: "VALID", credits: { used: 1 } });
  });
});

describe("a consumer", () => {
  it("expires when its time has come, and lives again without that time", async () => {
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    const { consumerId, keys } = await createOwner(service, { expiresAt, credits: { limit: 5 } });
    expect(await verdicts(service, keys)).toEqual(["VALID", "VALID"]);
    const node = await later.after(DAY_MS + MARGIN_MS);
    expect(await verdicts(node, keys)).toEqual(["CONSUMER_EXPIRED", "CONSUMER_EXPIRED"]);
    expect(await node.ok("/consumer/details", { consumerId })).toMatchObject({ status: "active", expiresAt });
    await node.ok("/consumer/update", { consumerId, expiresAt: null });
    await expect.poll(() => verdicts(node, keys)).toEqual(["VALID", "VALID"]);
    await node.ok("/consumer/update", { consumerId, expiresAt: "2020-01-01" });
    expect(await verdicts(node, keys)).toEqual(["CONSUMER_EXPIRED", "CONSUMER_EXPIRED"]);
  });
});

describe("a consumer that was restored", () => {
  it("is not gone when the 7 days of its deletion are over", async () => {
    const owner = await createOwner(service);
    await remove(service, owner.consumerId);
    await restore(service, owner.consumerId);
    const node = await afterTheEnd();
    expect(await node.ok("/consumer/details", { consumerId: owner.consumerId })).toMatchObject({ status: "active" });
    expect(await verdicts(node, owner.keys)).toEqual(["VALID", "VALID"]);
  });
});
