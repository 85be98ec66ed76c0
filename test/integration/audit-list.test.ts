import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../harness/own-project.ts";
import { expectProblem } from "../harness/problem.ts";
import { startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
type Body = any;

describe("/audit/list", () => {
  it.each([1, 3, 200])("walks over every change once with pages of %i, while changes are made", async (pageSize) => {
    const { ok } = await createProject(service);
    const made: string[] = [];
    for (let number = 0; number < 8; number++)
      made.push((await ok("/consumer/create", { name: `${number}` })).consumerId);
    const walked: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Body = await ok("/audit/list", { pageSize, ...(cursor !== undefined && { cursor }) });
      expect(page.entries.length).toBeLessThanOrEqual(pageSize);
      walked.push(...page.entries.map(({ targetId }: Body) => targetId));
      cursor = page.nextCursor;
      await ok("/consumer/create", { name: "later" });
    }
    expect(walked.filter((id) => id.startsWith("consumer_"))).toEqual(made.reverse());
    expect(new Set(walked).size).toBe(walked.length);
  });

  it("has fewer changes on a page where they are large, and still walks over all of them", async () => {
    const { ok } = await createProject(service);
    const { consumerId: targetId } = await ok("/consumer/create", {});
    for (let number = 0; number < 12; number++) {
      const tags = Array.from({ length: 1_000 }, () => `${number}`.padEnd(256));
      await ok("/consumer/update", { consumerId: targetId, tags });
    }
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Body = await ok("/audit/list", { targetId, pageSize: 200, ...(cursor !== undefined && { cursor }) });
      expect(JSON.stringify(page).length).toBeLessThan(2_000_000);
      expect(page.entries.length).toBeGreaterThan(0);
      count += page.entries.length;
      cursor = page.nextCursor;
    }
    expect(count).toBe(13);
  });

  it("shows 50 on a page unless it is told otherwise, and the last page without a cursor", async () => {
    const { ok } = await createProject(service);
    // A project begins with two entries: itself and its credential.
    await Promise.all(Array.from({ length: 48 }, () => ok("/consumer/create", {})));
    expect(await ok("/audit/list", {})).toMatchObject({ entries: { length: 50 }, nextCursor: null });
    await ok("/consumer/create", {});
    const { entries, nextCursor } = await ok("/audit/list", {});
    expect(entries).toHaveLength(50);
    expect(await ok("/audit/list", { cursor: nextCursor })).toMatchObject({ entries: { length: 1 }, nextCursor: null });
  });

  it("refuses a cursor that is not of this list, by name", async () => {
    const { ok, call } = await createProject(service);
    const stranger = await createProject(service);
    const { consumerId: targetId } = await ok("/consumer/create", { name: "a" });
    for (const name of ["b", "c"]) await ok("/consumer/update", { consumerId: targetId, name });
    const { nextCursor: all } = await ok("/audit/list", { pageSize: 1 });
    const { nextCursor: one } = await ok("/audit/list", { pageSize: 1, targetId });
    const flipped = [...one].map((character, index) => [...one].with(index, character === "A" ? "B" : "A").join(""));
    const refused = [
      ...[all, "", "x", one.slice(1), `${one}A`, `${one}=`, one.toUpperCase(), "__proto__"].map((cursor) => ({
        cursor,
        targetId,
      })),
      ...flipped.map((cursor) => ({ cursor, targetId })),
      ...[{ cursor: one }, { cursor: one, targetId: "consumer_other" }],
    ];
    for (const request of refused) {
      expectProblem(await call("/audit/list", request), 400, "invalid_argument", ["cursor"]);
    }
    expectProblem(await stranger.call("/audit/list", { cursor: all }), 400, "invalid_argument", ["cursor"]);
    expectProblem(await stranger.call("/audit/list", { cursor: one, targetId }), 400, "invalid_argument", ["cursor"]);
    expect((await ok("/audit/list", { cursor: one, targetId, pageSize: 200 })).entries).toHaveLength(2);
  });

  it.each([
    [{ pageSize: 0 }, "pageSize"],
    [{ pageSize: 201 }, "pageSize"],
    [{ pageSize: "5" }, "pageSize"],
    [{ cursor: 5 }, "cursor"],
    [{ targetId: 5 }, "targetId"],
    [{ page: 2 }, "page"],
  ])("refuses %j by name", async (request, field) => {
    expectProblem(await service.call("/audit/list", request), 400, "invalid_argument", [field]);
  });

  it("is empty for a target that nothing was done to, or that is another project's", async () => {
    const { ok } = await createProject(service);
    const { consumerId } = await service.ok("/consumer/create", {});
    for (const targetId of [consumerId, "consumer_none", "", "$ne"]) {
      expect(await ok("/audit/list", { targetId })).toEqual({ entries: [], nextCursor: null });
    }
  });
});
