import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN_KEY,
  createConsumerWithKey,
  freshDatabaseUri,
  startService,
  type TestService,
} from "../harness/service.ts";

const DAY_MS = 24 * 3_600_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const others: TestService[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.app.stop();
});

/** Another node on the same database, its clock so far off. */
async function startNode(clockOffsetMs = 0): Promise<TestService> {
  const settings = { KEYSVC_MONGODB_URI: service.databaseUri, KEYSVC_TEST_CLOCK_OFFSET_MS: String(clockOffsetMs) };
  const node = await startService(settings);
  others.push(node);
  return node;
}

/** A project of its own, and calls with its credential. */
async function createProject(): Promise<(path: string, body: object, node?: TestService) => Promise<Body>> {
  const { projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  return (path, body, node = service) => node.ok(path, body, projectKey);
}

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
type Body = any;
const names = ({ consumers }: Body): string[] => consumers.map(({ name }: Body) => name);

describe("/consumer/list", () => {
  it("answers an empty body with the first page, newest first, with exactly the specified fields", async () => {
    const ok = await createProject();
    for (const name of ["first", "second"]) await ok("/consumer/create", { name });
    const list = await ok("/consumer/list", {});
    expect(list).toEqual({
      ...{ total: 2, filtered: 2, page: 1, limit: 25, totalPages: 1, sortBy: "createdAt", sortOrder: "desc" },
      consumers: ["second", "first"].map((name) => ({
        ...{ consumerId: expect.stringMatching(/^consumer_/), name, imageUrl: null, planId: null },
        ...{ createdAt: expect.any(String), status: "active", apiKeyCount: 0, credits: null },
      })),
    });
  });

  it("shows every change that was acknowledged, at once, on every node", async () => {
    const ok = await createProject();
    const node = await startNode();
    await ok("/consumer/list", {}, node);
    const { consumerId } = await ok("/consumer/create", { name: "old", credits: { limit: 5 } });
    expect(names(await ok("/consumer/list", {}, node))).toEqual(["old"]);
    await ok("/consumer/update", { consumerId, name: "new", status: "disabled" });
    expect(names(await ok("/consumer/list", { status: "disabled", search: "NEW" }, node))).toEqual(["new"]);
    expect((await ok("/consumer/list", { status: "active" }, node)).filtered).toBe(0);
    await ok("/key/create", { consumerId });
    expect((await ok("/consumer/list", {}, node)).consumers[0]).toMatchObject({ apiKeyCount: 1 });
    await ok("/consumer/delete", { consumerId });
    expect((await ok("/consumer/list", { status: "deleted" }, node)).filtered).toBe(1);
    await ok("/consumer/delete", { consumerId, permanent: true });
    expect(await ok("/consumer/list", {}, node)).toMatchObject({ total: 0, filtered: 0, totalPages: 0, consumers: [] });
  });

  it("sorts by credits with charges that nobody told it of, and with refills that are due", async () => {
    const ok = await createProject();
    const credits = (limit: number, refillCredit = 1) => ({ limit, refill: { every: "1d", refillCredit } });
    const make = async (name: string, pool: object | undefined, used: number) => {
      const { consumerId } = await ok("/consumer/create", { name, ...(pool && { credits: pool }) });
      if (pool !== undefined) await ok("/consumer/update", { consumerId, credits: { used } });
      return consumerId;
    };
    await make("little", credits(10, 90), 2);
    const much = await make("much", credits(100, 3), 50);
    await make("unlimited", undefined, 0);
    const used = { sortBy: "creditsUsed" };
    const left = { sortBy: "creditsRemaining" };
    expect(names(await ok("/consumer/list", used))).toEqual(["much", "little", "unlimited"]);
    expect(names(await ok("/consumer/list", left))).toEqual(["unlimited", "much", "little"]);
    const { key } = await ok("/key/create", { consumerId: much });
    await ok("/key/validate", { key, credits: 49 });
    expect(names(await ok("/consumer/list", { ...left, sortOrder: "asc" }))).toEqual(["much", "little", "unlimited"]);
    const tomorrow = await startNode(DAY_MS + 60_000);
    const refilled = await ok("/consumer/list", { ...left, sortOrder: "asc" }, tomorrow);
    expect(refilled.consumers.map(({ credits }: Body) => credits?.remaining)).toEqual([3, 90, undefined]);
    expect(refilled.consumers[0].credits).toEqual({
      limit: 3,
      used: 0,
      remaining: 3,
      refill: { nextRefillAt: expect.any(Number) },
    });
  });

  it("takes every character of a search as itself, in any case", async () => {
    const ok = await createProject();
    const all = ["a.*b", "(a+)+$", "Zoë Ω", "50% [x] \\d", "line\nbreak", "🗝 key"];
    for (const name of all) await ok("/consumer/create", { name });
    for (const name of all) {
      expect(names(await ok("/consumer/list", { search: name.toLocaleUpperCase("en") })), name).toEqual([name]);
    }
    expect((await ok("/consumer/list", { search: "^" })).filtered).toBe(0);
    const [{ consumerId }] = (await ok("/consumer/list", {})).consumers;
    expect((await ok("/consumer/list", { search: consumerId.slice(-8).toUpperCase() })).filtered).toBe(1);
    expect((await ok("/consumer/list", { search: "" })).filtered).toBe(all.length);
  });

  it("answers a page past the end with nobody, and refuses what is out of range by name", async () => {
    const ok = await createProject();
    await ok("/consumer/create", {});
    expect(await ok("/consumer/list", { page: 2_147_483_647, limit: 200 })).toMatchObject({ total: 1, consumers: [] });
    for (const [field, value] of Object.entries({ limit: 201, page: 0, sortBy: "credits", sortOrder: "up" })) {
      const { status, body } = await service.call("/consumer/list", { [field]: value });
      expect([status, body.errors.map((one: Body) => one.field)]).toEqual([400, [field]]);
    }
  });

  it("leaves out consumers whose recovery has ended, whether or not they were cleared up", async () => {
    const ok = await createProject();
    const { consumerId } = await createConsumerWithKeyOf(ok);
    await ok("/consumer/delete", { consumerId });
    const before = await startNode(7 * DAY_MS - 60_000);
    expect(await ok("/consumer/list", {}, before)).toMatchObject({ total: 1, filtered: 1 });
    const after = await startNode(7 * DAY_MS + 60_000);
    expect(await ok("/consumer/list", {}, after)).toMatchObject({ total: 0, filtered: 0 });
  });

  it("serves many callers at once while the database is being written", async () => {
    const ok = await createProject();
    const made = Array.from({ length: 40 }, (_, number) => ok("/consumer/create", { name: `n${number}` }));
    const lists = Array.from({ length: 40 }, () => ok("/consumer/list", { limit: 200, sortBy: "name" }));
    for (const { total, consumers } of await Promise.all(lists)) expect(consumers.length).toBe(total);
    await Promise.all(made);
    expect((await ok("/consumer/list", { limit: 200 })).total).toBe(40);
  });
});

async function createConsumerWithKeyOf(ok: Awaited<ReturnType<typeof createProject>>): Promise<{ consumerId: string }> {
  const { consumerId } = await ok("/consumer/create", {});
  await ok("/key/create", { consumerId });
  return { consumerId };
}

it("a directory that nobody has asked for is loaded with what is there", async () => {
  const uri = freshDatabaseUri();
  const first = await startService({ KEYSVC_MONGODB_URI: uri });
  await createConsumerWithKey(first, { name: "before" });
  await first.app.stop();
  const second = await startService({ KEYSVC_MONGODB_URI: uri });
  expect(await second.ok("/consumer/list", {})).toMatchObject({ total: 1, consumers: [{ name: "before" }] });
  await second.close();
});
