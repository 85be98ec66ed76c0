import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, type Answer, startService, type TestService } from "../harness/service.ts";
import { fieldsOf, SHAPES } from "../harness/shapes.ts";

let service: TestService;
let projectKey: string;
/** In the order in which they were made, which is that of their ids. */
const made: Made[] = [];

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
type Body = any;
interface Made {
  consumerId: string;
  name: string | null;
  status: string;
  planId: string | null;
  used: number;
  remaining: number;
}

beforeAll(async () => {
  service = await startService();
  ({ projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY));
  const plans = await Promise.all(["gold", "tin"].map((name) => ok("/plan/create", { name })));
  // Few values of everything, so that most of every order are ties.
  for (let number = 0; number < 23; number++) {
    const name = [null, "", "a", "B", "b"][number % 5] ?? null;
    const planId = [null, ...plans.map(({ planId }) => planId)][number % 3];
    const pool = [undefined, { limit: 5 }, { limit: 9 }, { limit: 9, used: 4 }][number % 4];
    const { consumerId } = await ok("/consumer/create", {
      name,
      planId,
      ...(pool && { credits: { limit: pool.limit } }),
    });
    if (pool?.used !== undefined) await ok("/consumer/update", { consumerId, credits: { used: pool.used } });
    const status = ["active", "active", "disabled", "deleted"][number % 4] ?? "";
    if (status === "disabled") await ok("/consumer/update", { consumerId, status });
    if (status === "deleted") await ok("/consumer/delete", { consumerId });
    const used = pool?.used ?? 0;
    made.push({
      consumerId,
      name,
      status,
      planId,
      used,
      remaining: pool ? pool.limit - used : Number.POSITIVE_INFINITY,
    });
  }
});
afterAll(() => service.close());

const ok = (path: string, body: object): Promise<Body> => service.ok(path, body, projectKey);
const list = (request: object): Promise<Answer> => service.call("/consumer/list", request, projectKey);
const ids = (items: { consumerId: string }[]): string[] => items.map(({ consumerId }) => consumerId);

/** All that a query finds, page by page. */
async function walk(query: object, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const { consumers, totalPages, filtered } = await ok("/consumer/list", { ...query, page, limit });
    expect(totalPages).toBe(Math.ceil(filtered / limit));
    if (page > totalPages) {
      expect(consumers).toEqual([]);
      return found;
    }
    found.push(...ids(consumers));
  }
}

/** Text by code points, nothing before the empty one. */
const byName = (a: Made, b: Made): number =>
  Number(a.name !== null) - Number(b.name !== null) || compare(a.name, b.name);
const compare = <Value>(a: Value, b: Value): number => (a === b ? 0 : Number((a ?? "") > (b ?? "")) * 2 - 1);
const ORDERS: Record<string, (a: Made, b: Made) => number> = {
  createdAt: () => 0,
  name: byName,
  status: (a, b) => compare(a.status, b.status),
  creditsUsed: (a, b) => a.used - b.used,
  creditsRemaining: (a, b) => compare(a.remaining, b.remaining),
};

describe("a walk over the pages of /consumer/list", () => {
  it.each(Object.keys(ORDERS).flatMap((sortBy) => ["asc", "desc"].map((sortOrder) => [sortBy, sortOrder] as const)))(
    "by %s, %s, meets everybody once, ties by consumerId in the same direction",
    async (sortBy, sortOrder) => {
      const rising = [...made].sort((a, b) => ORDERS[sortBy]?.(a, b) || compare(a.consumerId, b.consumerId));
      const expected = ids(sortOrder === "asc" ? rising : rising.reverse());
      for (const limit of [1, 4, 23, 200]) {
        expect(await walk({ sortBy, sortOrder }, limit), `limit ${limit}`).toEqual(expected);
      }
    },
  );

  it("combines all filters with AND, and counts what they leave", async () => {
    const planId = made[1]?.planId ?? "";
    for (const filter of [
      {},
      { planId },
      { status: "active" },
      { status: "disabled", planId },
      { status: "deleted", planId, search: "B" },
      { search: "b", planId },
      { planId: "plan_none", status: "active" },
    ] as { planId?: string; status?: string; search?: string }[]) {
      const expected = made.filter(
        ({ name, consumerId, ...one }) =>
          (filter.planId ?? one.planId) === one.planId &&
          (filter.status ?? one.status) === one.status &&
          `${consumerId} ${name ?? ""}`.toLowerCase().includes((filter.search ?? "").toLowerCase()),
      );
      const { total, filtered } = await ok("/consumer/list", filter);
      expect([total, filtered], JSON.stringify(filter)).toEqual([made.length, expected.length]);
      expect(await walk(filter, 3)).toEqual(ids(expected).reverse());
    }
  });
});

describe("/consumer/list", () => {
  it("answers exactly the specified fields, those of the query with their defaults", async () => {
    const { consumers, ...counts } = await ok("/consumer/list", {});
    expect(counts).toEqual({
      ...{ total: 23, filtered: 23, page: 1, limit: 25, totalPages: 1, sortBy: "createdAt", sortOrder: "desc" },
    });
    for (const item of consumers) {
      expect(fieldsOf(item)).toEqual(SHAPES.listed);
      if (item.credits !== null) expect(fieldsOf(item.credits)).toEqual(["limit", "remaining", "used"]);
    }
  });

  it("takes null for absent in every field, and answers the query back", async () => {
    const names = ["page", "limit", "search", "planId", "status", "sortBy", "sortOrder"];
    const nothing = Object.fromEntries(names.map((name) => [name, null]));
    expect(await ok("/consumer/list", nothing)).toEqual(await ok("/consumer/list", {}));
    const query = { page: 3, limit: 5, sortBy: "creditsRemaining", sortOrder: "asc" };
    expect(await ok("/consumer/list", query)).toMatchObject(query);
  });

  it.each([6, 1_000_000, 2 ** 31, 10 ** 12, Number.MAX_SAFE_INTEGER])(
    "answers page %i, which is past the end, with nobody",
    async (page) => {
      expect(await ok("/consumer/list", { page, limit: 5 })).toMatchObject({
        ...{ page, limit: 5, total: 23, filtered: 23, totalPages: 5, consumers: [] },
      });
    },
  );

  it.each<[object, string]>([
    [{ limit: 0 }, "limit"],
    [{ limit: -1 }, "limit"],
    [{ limit: 201 }, "limit"],
    [{ limit: 1.5 }, "limit"],
    [{ limit: "25" }, "limit"],
    [{ page: 0 }, "page"],
    [{ page: -1 }, "page"],
    [{ page: 0.5 }, "page"],
    [{ page: "1" }, "page"],
    [{ page: 2 ** 53 }, "page"],
    [{ sortBy: "updatedAt" }, "sortBy"],
    [{ sortBy: "Name" }, "sortBy"],
    [{ sortBy: "" }, "sortBy"],
    [{ sortOrder: "ASC" }, "sortOrder"],
    [{ sortOrder: 1 }, "sortOrder"],
    [{ status: "gone" }, "status"],
    [{ status: { $ne: "active" } }, "status"],
    [{ search: { $regex: "." } }, "search"],
    [{ search: "x".repeat(16_385) }, "search"],
    [{ planId: { $ne: null } }, "planId"],
    [{ name: "a" }, "name"],
    [{ offset: 5 }, "offset"],
  ])("refuses %j by name", async (request, field) => {
    expectProblem(await list(request), 400, "invalid_argument", [field]);
  });
});
