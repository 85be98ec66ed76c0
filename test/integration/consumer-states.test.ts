import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createOwner,
  expectDeleted,
  expectGone,
  expectRestored,
  remove,
  restore,
  update,
  verdicts,
} from "../harness/consumer-life.ts";
import { expectProblem } from "../harness/problem.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe("an active consumer", () => {
  it("is deleted with all of its keys, whatever their own status, and they are counted", async () => {
    const { consumerId, keys, keyIds } = await createOwner(service, { credits: { limit: 5 } }, 3);
    await service.ok("/key/update", { keyId: keyIds[2], enabled: false });
    expectDeleted(await remove(service, consumerId), consumerId, false, 3);
    expect(await verdicts(service, keys)).toEqual(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]);
    expectRestored(await restore(service, consumerId), consumerId, 3);
    await expect.poll(() => verdicts(service, keys)).toEqual(["VALID", "VALID", "KEY_DISABLED"]);
  });

  it("is deleted without keys too", async () => {
    const { consumerId } = await createOwner(service, {}, 0);
    expectDeleted(await remove(service, consumerId, false), consumerId, false, 0);
    expectRestored(await restore(service, consumerId), consumerId, 0);
  });

  it("is removed for good with permanent, and nothing brings it back", async () => {
    const owner = await createOwner(service, { credits: { limit: 5 } });
    expectDeleted(await remove(service, owner.consumerId, true), owner.consumerId, true, 2);
    await expectGone(service, owner);
  });

  it("stays active, and restores nothing, when it is made active again", async () => {
    const { consumerId, keys } = await createOwner(service);
    expectRestored(await restore(service, consumerId), consumerId, 0);
    expect(await verdicts(service, keys)).toEqual(["VALID", "VALID"]);
  });

  it("does not become deleted by /consumer/update, which names the way to do it", async () => {
    const { consumerId, keys } = await createOwner(service);
    const answer = await update(service, consumerId, { status: "deleted", name: "x" });
    expectProblem(answer, 400, "invalid_argument", ["status"]);
    expect(answer.body.errors[0].message).toContain("/consumer/delete");
    expect(await verdicts(service, keys)).toEqual(["VALID", "VALID"]);
  });
});

describe("a disabled consumer", () => {
  it("is deleted like an active one, and comes back active", async () => {
    const { consumerId, keys } = await createOwner(service, { status: "disabled" });
    expectDeleted(await remove(service, consumerId), consumerId, false, 2);
    expectRestored(await restore(service, consumerId), consumerId, 2);
    await expect.poll(() => verdicts(service, keys)).toEqual(["VALID", "VALID"]);
  });

  it("is removed for good", async () => {
    const owner = await createOwner(service, { status: "disabled" });
    expectDeleted(await remove(service, owner.consumerId, true), owner.consumerId, true, 2);
    await expectGone(service, owner);
  });

  it("counts no restored keys when it becomes active, which deletes and restores none", async () => {
    const { consumerId, keys } = await createOwner(service);
    expect((await update(service, consumerId, { status: "disabled" })).body).toMatchObject({
      status: "disabled",
      keysRestored: 0,
    });
    expect((await update(service, consumerId, { status: "disabled" })).body).toMatchObject({
      status: "disabled",
      keysRestored: 0,
    });
    expectRestored(await restore(service, consumerId), consumerId, 0);
    await expect.poll(() => verdicts(service, keys)).toEqual(["VALID", "VALID"]);
  });
});

describe("a deleted consumer", () => {
  it("is deleted again without effect: no key more, and the time of the first", async () => {
    const { consumerId } = await createOwner(service);
    const first = await remove(service, consumerId);
    const again = await remove(service, consumerId);
    expectDeleted(again, consumerId, false, 0);
    expect(again.body.deletedAt).toBe(first.body.deletedAt);
  });

  it("can be seen, with its keys, and counts in the list", async () => {
    const { consumerId, keyIds } = await createOwner(service, { name: "kept", credits: { limit: 5 } });
    await remove(service, consumerId);
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject({ name: "kept", status: "deleted" });
    const { total, keys } = await service.ok("/consumer/keys", { consumerId });
    expect([total, keys.map(({ keyId }: { keyId: string }) => keyId).sort()]).toEqual([2, [...keyIds].sort()]);
    const { consumers } = await service.ok("/consumer/list", { search: consumerId, status: "deleted" });
    expect(consumers).toMatchObject([{ consumerId, status: "deleted", credits: { remaining: 5 } }]);
  });

  it.each([
    ["a name", { name: "x" }],
    ["nothing", {}],
    ["credits", { credits: { used: 0 } }],
    ["a plan", { planId: null }],
    ["the status disabled", { status: "disabled" }],
  ])("takes no update of %s, and stays as it is", async (_title, change) => {
    const { consumerId } = await createOwner(service, { name: "kept", credits: { limit: 5 } });
    await remove(service, consumerId);
    const before = await service.ok("/consumer/details", { consumerId });
    expectProblem(await update(service, consumerId, change), 409, "failed_precondition");
    expect(await service.ok("/consumer/details", { consumerId })).toEqual(before);
  });

  it("takes no key", async () => {
    const { consumerId } = await createOwner(service);
    await remove(service, consumerId);
    expectProblem(await service.call("/key/create", { consumerId }), 409, "failed_precondition");
  });

  it("takes other changes together with its restoration", async () => {
    const { consumerId } = await createOwner(service, { name: "old", credits: { limit: 5 } });
    await remove(service, consumerId);
    const change = { status: "active", name: "new", tags: ["back"], credits: { used: 2 } };
    expect((await update(service, consumerId, change)).body).toMatchObject({
      name: "new",
      keysRestored: 2,
      credits: { used: 2 },
    });
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject({ status: "active", tags: ["back"] });
  });

  it("is not restored by a change that is refused", async () => {
    const { consumerId, keys } = await createOwner(service);
    await remove(service, consumerId);
    expectProblem(await update(service, consumerId, { status: "active", credits: {} }), 400, "invalid_argument", [
      "credits.limit",
    ]);
    expectProblem(await update(service, consumerId, { status: "active", planId: "plan_none" }), 404, "not_found");
    expect((await service.ok("/consumer/details", { consumerId })).status).toBe("deleted");
    expect(await verdicts(service, keys)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
  });

  it("is removed for good with permanent, and its keys are counted once more", async () => {
    const owner = await createOwner(service);
    await remove(service, owner.consumerId);
    expectDeleted(await remove(service, owner.consumerId, true), owner.consumerId, true, 2);
    await expectGone(service, owner);
  });

  it("keeps what was charged, over any number of deletions and restorations", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    for (let round = 1; round <= 3; round++) {
      expect(await service.ok("/key/validate", { key })).toMatchObject({ code: "VALID", credits: { used: round } });
      expectDeleted(await remove(service, consumerId), consumerId, false, 1);
      expectRestored(await restore(service, consumerId), consumerId, 1);
      await expect.poll(async () => (await service.ok("/key/validate", { key, credits: 0 })).code).toBe("VALID");
    }
  });

  it("restores the keys that went with it, and not one that was deleted by itself before", async () => {
    const { consumerId, keys, keyIds } = await createOwner(service, {}, 3);
    await service.ok("/key/delete", { keyId: keyIds[0] });
    expectDeleted(await remove(service, consumerId), consumerId, false, 2);
    expectRestored(await restore(service, consumerId), consumerId, 2);
    await expect.poll(() => verdicts(service, keys)).toEqual(["NOT_FOUND", "VALID", "VALID"]);
  });

  it("is restored once, whoever restores it at once", async () => {
    const { consumerId } = await createOwner(service, {}, 3);
    await remove(service, consumerId);
    const answers = await Promise.all(Array.from({ length: 8 }, () => restore(service, consumerId)));
    const restored = answers.map(({ body }) => body.keysRestored);
    expect(restored.sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 3]);
  });
});
