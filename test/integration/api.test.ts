import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const createApi = (name: string, credential?: string) => service.ok("/api/create", { name }, credential);

/** A project of the test's own, and calls in it. */
async function createProject() {
  const { projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  return {
    ok: (path: string, body: unknown) => service.ok(path, body, projectKey),
    call: (path: string, body: unknown) => service.call(path, body, projectKey),
  };
}

/** Expects that there is no API for any method that takes one. */
async function expectNoApi(apiId: string): Promise<void> {
  expectProblem(await service.call("/api/details", { apiId }), 404, "not_found");
  expectProblem(await service.call("/api/update", { apiId, name: "x" }), 404, "not_found");
  expectProblem(await service.call("/api/update", { apiId }), 404, "not_found");
  expectProblem(await service.call("/api/delete", { apiId }), 404, "not_found");
}

describe("an API", () => {
  it("is made with a name, and details show the same", async () => {
    const made = await createApi("Zoë's $API {a.b}");
    expect(made).toEqual({
      apiId: expect.stringMatching(/^api_\w+$/),
      name: "Zoë's $API {a.b}",
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
      keyCount: expect.any(Number),
    });
    expect(await service.ok("/api/details", { apiId: made.apiId })).toEqual(made);
  });

  it("gets another name, and the time of it", async () => {
    const made = await createApi("before");
    const renamed = await service.ok("/api/update", { apiId: made.apiId, name: "after" });
    expect(renamed).toEqual({ ...made, name: "after", updatedAt: renamed.updatedAt });
    expect(renamed.updatedAt > made.updatedAt).toBe(true);
    expect(await service.ok("/api/details", { apiId: made.apiId })).toEqual(renamed);
  });

  it("is left as it is, its times too, by an update of nothing", async () => {
    const made = await createApi("as it is");
    expect(await service.ok("/api/update", { apiId: made.apiId })).toEqual(made);
    expect(await service.ok("/api/details", { apiId: made.apiId })).toEqual(made);
  });

  it("always has a name: null is refused", async () => {
    const { apiId } = await createApi("named");
    expectProblem(await service.call("/api/update", { apiId, name: null }), 400, "invalid_argument", ["name"]);
    expectProblem(await service.call("/api/update", { apiId, name: "" }), 400, "invalid_argument", ["name"]);
    expect((await service.ok("/api/details", { apiId })).name).toBe("named");
  });

  it("exists no more once it is deleted, and is deleted once", async () => {
    const { apiId } = await createApi("gone");
    const answers = await Promise.all([1, 2, 3].map(() => service.call("/api/delete", { apiId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ apiId, deleted: true });
    await expectNoApi(apiId);
  });

  it("that never was is not found", async () => {
    await expectNoApi("api_never");
    await expectNoApi("$where");
  });

  it("is called by no key once it is deleted, whatever the key may call, and the key keeps its list", async () => {
    const { apiId } = await createApi("called");
    const named = await createConsumerWithKey(service, {}, { allowedApis: [apiId] });
    const any = await createConsumerWithKey(service);
    const codes = () =>
      Promise.all([named, any].map(async ({ key }) => (await service.ok("/key/validate", { key, apiId })).code));
    expect(await codes()).toEqual(["VALID", "VALID"]);
    await service.ok("/api/delete", { apiId });
    // That an API is there is remembered for a moment.
    await expect.poll(codes).toEqual(["API_NOT_ALLOWED", "API_NOT_ALLOWED"]);
    const { keys } = await service.ok("/consumer/keys", { consumerId: named.consumerId });
    expect(keys[0].allowedApis).toEqual([apiId]);
  });

  it("leaves what was made of it, changed and deleted in the audit log", async () => {
    const { apiId } = await createApi("first");
    await service.ok("/api/update", { apiId, name: "second" });
    await service.ok("/api/update", { apiId, name: "second" });
    await service.ok("/api/delete", { apiId });
    const { entries } = await service.ok("/audit/list", { targetId: apiId });
    const told = entries.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]);
    expect(told).toEqual([
      ["api.delete", { name: "second" }, {}],
      ["api.update", { name: "first" }, { name: "second" }],
      ["api.create", {}, { name: "first" }],
    ]);
    expect(entries[0].credentialId).toMatch(/^credential_/);
  });
});

describe("the keys that may call an API", () => {
  it("are those that name it and those that may call every one, each counted once", async () => {
    const { ok } = await createProject();
    const [first, second, third] = await Promise.all(["1", "2", "3"].map((name) => ok("/api/create", { name })));
    const { consumerId } = await ok("/consumer/create", {});
    const lists = [
      ["*"],
      ["*", first.apiId],
      [first.apiId],
      [first.apiId, first.apiId],
      [first.apiId, second.apiId],
      [second.apiId],
    ];
    for (const allowedApis of lists) await ok("/key/create", { consumerId, allowedApis });
    // By default a key may call every API.
    await ok("/key/create", { consumerId });
    const counts = new Map([
      [first.apiId, 6],
      [second.apiId, 5],
      [third.apiId, 3],
    ]);
    for (const [apiId, keyCount] of counts) expect((await ok("/api/details", { apiId })).keyCount).toBe(keyCount);
    const { apis } = await ok("/api/list", {});
    expect(new Map(apis.map(({ apiId, keyCount }: Record<string, unknown>) => [apiId, keyCount]))).toEqual(counts);
    expect((await ok("/api/update", { apiId: first.apiId, name: "renamed" })).keyCount).toBe(6);
    expect((await ok("/api/create", { name: "new" })).keyCount).toBe(3);
  });
});

describe("the list of APIs", () => {
  it("comes in pages, newest first, with the total of the project", async () => {
    const { ok } = await createProject();
    const made: string[] = [];
    for (let index = 0; index < 27; index++) made.unshift((await ok("/api/create", { name: `api ${index}` })).apiId);
    const ids = async (request: object) => {
      const { apis, ...page } = await ok("/api/list", request);
      return { ...page, ids: apis.map(({ apiId }: { apiId: string }) => apiId) };
    };
    expect(await ids({})).toEqual({ total: 27, page: 1, limit: 25, ids: made.slice(0, 25) });
    expect(await ids({ page: 2 })).toEqual({ total: 27, page: 2, limit: 25, ids: made.slice(25) });
    expect(await ids({ page: 3, limit: 10 })).toEqual({ total: 27, page: 3, limit: 10, ids: made.slice(20) });
    expect(await ids({ page: 2 ** 31 - 1, limit: 200 })).toEqual({ total: 27, page: 2 ** 31 - 1, limit: 200, ids: [] });
  });

  it("is empty in a new project", async () => {
    const { ok } = await createProject();
    expect(await ok("/api/list", {})).toEqual({ total: 0, page: 1, limit: 25, apis: [] });
  });
});
