import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
/** A node on the same database, to which it is two hours later. */
let later: TestService;
beforeAll(async () => {
  service = await startService();
  later = await startService({
    KEYSVC_MONGODB_URI: service.databaseUri,
    KEYSVC_TEST_CLOCK_OFFSET_MS: String(2 * 3_600_000),
  });
});
afterAll(async () => {
  await later.app.stop();
  await service.close();
});

const codeOf = async (key: string, more: object = {}, node = service) =>
  (await node.ok("/key/validate", { key, ...more })).code;
const usedBy = async (consumerId: string) => (await service.ok("/consumer/details", { consumerId })).credits.used;

describe("/key/rotate", () => {
  it("gives the key a new value of the same prefix; without a grace the old one is NOT_FOUND at once", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, {}, { prefix: "my_app", name: "n" });
    const before = await service.ok("/key/details", { keyId });
    const rotated = await service.ok("/key/rotate", { keyId });
    expect(rotated).toEqual({
      keyId,
      key: expect.stringMatching(/^my_app_\w{33}$/),
      consumerId,
      previousValidUntil: null,
    });
    expect(rotated.key).not.toBe(key);
    expect(await service.ok("/key/validate", { key })).toMatchObject({ code: "NOT_FOUND", keyId: null });
    expect(await service.ok("/key/validate", { key: rotated.key })).toMatchObject({ code: "VALID", keyId });
    const after = await service.ok("/key/details", { keyId });
    expect(after).toEqual({ ...before, key: `********${rotated.key.slice(-6)}`, updatedAt: expect.any(String) });
  });

  it("lets the old value go on until its grace ends, by the database's clock", async () => {
    const { keyId, key } = await createConsumerWithKey(service, { credits: { limit: 1_000_000 } });
    const [askedMs, graceMs] = [performance.now(), 6_000];
    const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: graceMs / 1_000 });
    const answeredMs = performance.now();
    expect((await service.ok("/key/details", { keyId })).previousValidUntil).toBe(rotated.previousValidUntil);
    let valid = 0;
    for (;;) {
      const beganMs = performance.now();
      const verdict = await service.ok("/key/validate", { key });
      if (verdict.code !== "VALID") {
        expect(verdict).toMatchObject({ code: "NOT_FOUND", keyId: null });
        expect(performance.now() - askedMs).toBeGreaterThan(graceMs - 1);
        break;
      }
      expect(beganMs - answeredMs).toBeLessThan(graceMs);
      valid++;
      await sleep(20);
    }
    expect(valid).toBeGreaterThan(0);
    expect(await codeOf(rotated.key)).toBe("VALID");
    expect((await service.ok("/key/details", { keyId })).previousValidUntil).toBeNull();
  });

  it("leaves each old value its own grace", async () => {
    const { keyId, key: first } = await createConsumerWithKey(service);
    const { key: second, previousValidUntil } = await service.ok("/key/rotate", { keyId, graceSeconds: 3 * 3_600 });
    const { key: third } = await service.ok("/key/rotate", { keyId, graceSeconds: 3_600 });
    const { key: fourth } = await service.ok("/key/rotate", { keyId });
    const codes = (node: TestService) =>
      Promise.all([first, second, third, fourth].map((key) => codeOf(key, {}, node)));
    expect(await codes(service)).toEqual(["VALID", "VALID", "NOT_FOUND", "VALID"]);
    expect(await codes(later)).toEqual(["VALID", "NOT_FOUND", "NOT_FOUND", "VALID"]);
    for (const node of [service, later]) {
      expect((await node.ok("/key/details", { keyId })).previousValidUntil).toBe(previousValidUntil);
    }
  });

  it("refuses a 21st value in grace, and takes one when there is room again", async () => {
    const { keyId } = await createConsumerWithKey(service);
    const rotate = (node: TestService) => node.call("/key/rotate", { keyId, graceSeconds: 3_600 });
    const values = [];
    for (let value = 1; value <= 20; value++) values.push((await rotate(service)).body.key);
    expectProblem(await rotate(service), 409, "failed_precondition");
    expect(await codeOf(values.at(-1))).toBe("VALID");
    expect((await rotate(later)).status).toBe(200);
    expect(await codeOf(values.at(-1), {}, later)).toBe("VALID");
    expect((await service.ok("/key/rotate", { keyId })).previousValidUntil).toBeNull();
  });

  it("makes no credits: old and new value draw from one pool, and a requestId is charged once for both", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    const first = await service.ok("/key/validate", { key, credits: 4, requestId: "order" });
    const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: 60 });
    expect(await usedBy(consumerId)).toBe(4);
    expect(await service.ok("/key/validate", { key: rotated.key, credits: 4, requestId: "order" })).toEqual(first);
    expect(await codeOf(key, { credits: 3 })).toBe("VALID");
    expect(await codeOf(rotated.key, { credits: 3 })).toBe("VALID");
    expect(await codeOf(rotated.key)).toBe("USAGE_EXCEEDED");
    expect(await usedBy(consumerId)).toBe(10);
  });

  it("forgets no first verdict, but does not repeat it for a value that was rotated away", async () => {
    const { keyId, key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    await codeOf(key, { requestId: "order" });
    const rotated = await service.ok("/key/rotate", { keyId });
    expect(await codeOf(key, { requestId: "order" })).toBe("NOT_FOUND");
    expect(await codeOf(rotated.key, { requestId: "order" })).toBe("VALID");
  });

  it("keeps a key disabled or expired, for both of its values", async () => {
    const { keyId, key } = await createConsumerWithKey(service, {}, { enabled: false });
    const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: 60 });
    for (const value of [key, rotated.key]) expect(await codeOf(value)).toBe("KEY_DISABLED");
    await service.ok("/key/update", { keyId, enabled: true, expiresAt: "2020-01-01" });
    for (const value of [key, rotated.key]) expect(await codeOf(value)).toBe("KEY_EXPIRED");
  });
});

describe("two rotations at once", () => {
  it("come one after the other: with a grace both new values validate, without one only the last", async () => {
    for (const [graceSeconds, valid] of [
      [60, 3],
      [0, 1],
    ] as const) {
      const { keyId, key } = await createConsumerWithKey(service, { credits: { limit: 9 } });
      const rotate = () => service.ok("/key/rotate", { keyId, graceSeconds });
      const values = [key, ...(await Promise.all([rotate(), rotate()])).map((rotated) => rotated.key)];
      const codes = await Promise.all(values.map((value) => codeOf(value)));
      expect(codes.filter((code) => code === "VALID")).toHaveLength(valid);
      const shown = await service.ok("/key/details", { keyId });
      const present = values.find((value) => shown.key.endsWith(value.slice(-6))) ?? "";
      expect(await codeOf(present)).toBe("VALID");
    }
  });
});
