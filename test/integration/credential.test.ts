import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { methods, type Scope } from "../../gen/gateway.js";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, freshDatabaseUri, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let other: TestService;
beforeAll(async () => {
  const settings = { KEYSVC_MONGODB_URI: freshDatabaseUri() };
  service = await startService(settings);
  other = await startService(settings);
});
afterAll(async () => {
  await other.app.stop();
  await service.close();
});

const CREATE = "/project/credential/create";
const LIST = "/project/credential/list";
const ROTATE = "/project/credential/rotate";
const REVOKE = "/project/credential/revoke";
const ALL_SCOPES = ["manage", "read", "validate", "ingest"];

/** A project of the test's own, and calls in it with its first credential. */
async function createProject() {
  const { projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  return {
    projectKey,
    ok: (path: string, body: unknown) => service.ok(path, body, projectKey),
    call: (path: string, body: unknown) => service.call(path, body, projectKey),
  };
}

const statusOf = async (credential: string, node = service) => (await node.call("/api/list", {}, credential)).status;

/** Calls until the credential is refused. @returns when the last call that was let in began, and the refusal came */
async function untilRefused(credential: string, node: TestService): Promise<{ lastLetIn: number; refused: number }> {
  let lastLetIn = 0;
  for (;;) {
    const start = Date.now();
    if ((await statusOf(credential, node)) === 401) return { lastLetIn, refused: Date.now() };
    lastLetIn = start;
  }
}

describe("a new credential", () => {
  it("is shown once, with what it may do; the list shows its end alone", async () => {
    const { ok } = await createProject();
    const made = await ok(CREATE, { name: "Zoë's reader", scopes: ["validate", "read"] });
    const { projectKey, ...rest } = made;
    expect(made).toEqual({
      credentialId: expect.stringMatching(/^credential_\w+$/),
      name: "Zoë's reader",
      scopes: ["read", "validate"],
      createdAt: expect.any(String),
      projectKey: expect.stringMatching(/^proj_[\w-]{43}$/),
      lastSix: projectKey.slice(-6),
    });
    const list = await ok(LIST, { limit: 1 });
    expect(list).toEqual({ total: 2, page: 1, limit: 1, credentials: [{ ...rest, previousValidUntil: null }] });
    expect(JSON.stringify(list)).not.toContain(projectKey);
  });

  it("has every scope when none is named, and no name", async () => {
    const { ok, call } = await createProject();
    expect(await ok(CREATE, {})).toMatchObject({ name: null, scopes: ALL_SCOPES });
    expect(await ok(CREATE, { scopes: [] })).toMatchObject({ scopes: ALL_SCOPES });
    expectProblem(await call(CREATE, { scopes: ["operator"] }), 400, "invalid_argument", ["scopes[0]"]);
    expectProblem(await call(CREATE, { scopes: ["read", "read"] }), 400, "invalid_argument", ["scopes"]);
  });

  it("opens its project at once", async () => {
    const { ok } = await createProject();
    const { projectKey } = await ok(CREATE, {});
    const { apiId } = await ok("/api/create", { name: "mine" });
    expect((await service.ok("/api/list", {}, projectKey)).apis[0].apiId).toBe(apiId);
  });

  it("is stored without its value, and so is one that was rotated", async () => {
    const { ok } = await createProject();
    const made = await ok(CREATE, {});
    const rotated = await ok(ROTATE, { credentialId: made.credentialId, graceSeconds: 60 });
    const client = await MongoClient.connect(service.databaseUri);
    const all = await client.db().collections();
    const own = all.filter(({ collectionName }) => !collectionName.startsWith("system"));
    const stored = await Promise.all(own.map((collection) => collection.find().toArray()));
    await client.close();
    const text = JSON.stringify(stored);
    expect(text).toContain(made.credentialId);
    for (const { projectKey } of [made, rotated]) expect(text).not.toContain(projectKey);
    expect(text).not.toContain(PROJECT_KEY);
  });
});

describe("scopes", () => {
  /** Which scopes open a method, as the documentation says it. */
  const opens = (held: Scope, needed: Scope) => held === needed || (held === "manage" && needed !== "operator");

  it.each(["manage", "read", "validate", "ingest"] as const)("%s opens its methods and no other", async (held) => {
    const { ok } = await createProject();
    const { projectKey } = await ok(CREATE, { scopes: [held] });
    // What is let in is refused for its unknown field, so that nothing happens.
    const answers = methods.map(async ({ path, scope }) => {
      const { body } = await service.call(path, { unknownToAll: 1 }, projectKey);
      return [path, body.code, opens(held, scope)] as const;
    });
    for (const [path, code, isOpen] of await Promise.all(answers)) {
      expect(code, path).toBe(isOpen ? "invalid_argument" : "permission_denied");
    }
  });

  it("what shows keys in clear needs manage, and so does everything about credentials", () => {
    const scopeOf = new Map(methods.map(({ path, scope }) => [path, scope]));
    for (const path of ["/consumer/keys", CREATE, LIST, ROTATE, REVOKE]) expect(scopeOf.get(path)).toBe("manage");
  });
});

describe("a revoked credential", () => {
  it("is refused within 200 ms on every node, in constant use too, and so are its values in grace", async () => {
    const { ok } = await createProject();
    const { credentialId, projectKey: before } = await ok(CREATE, { scopes: ["read"] });
    const { projectKey } = await ok(ROTATE, { credentialId, graceSeconds: 3_600 });
    for (const node of [service, other]) {
      expect(await statusOf(projectKey, node)).toBe(200);
      expect(await statusOf(before, node)).toBe(200);
    }
    const calls = [service, other].flatMap((node) => [before, projectKey].map((value) => untilRefused(value, node)));
    expect(await ok(REVOKE, { credentialId })).toEqual({ credentialId, revoked: true });
    const revoked = Date.now();
    for (const { lastLetIn } of await Promise.all(calls)) expect(lastLetIn - revoked).toBeLessThan(200);
  });

  it("is on no list, and cannot be rotated or revoked again", async () => {
    const { ok, call } = await createProject();
    const { credentialId } = await ok(CREATE, {});
    await ok(REVOKE, { credentialId });
    expect((await ok(LIST, {})).total).toBe(1);
    expectProblem(await call(REVOKE, { credentialId }), 404, "not_found");
    expectProblem(await call(ROTATE, { credentialId }), 404, "not_found");
  });

  it("may revoke itself, but not while it is the last that manages the project", async () => {
    const { ok, call, projectKey } = await createProject();
    const [first] = (await ok(LIST, {})).credentials;
    await ok(CREATE, { scopes: ["read", "validate", "ingest"] });
    expectProblem(await call(REVOKE, { credentialId: first.credentialId }), 409, "failed_precondition");
    const second = await ok(CREATE, { scopes: ["manage"] });
    await ok(REVOKE, { credentialId: first.credentialId });
    await untilRefused(projectKey, service);
    const last = await service.call(REVOKE, { credentialId: second.credentialId }, second.projectKey);
    expectProblem(last, 409, "failed_precondition");
  });

  it("is never the last one: of two revocations of the last two at once, one is refused", async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const { projectKey, ok } = await createProject();
      const second = await ok(CREATE, {});
      const ids = (await ok(LIST, {})).credentials.map(({ credentialId }: { credentialId: string }) => credentialId);
      const answers = await Promise.all([
        service.call(REVOKE, { credentialId: ids[0] }, projectKey),
        other.call(REVOKE, { credentialId: ids[1] }, second.projectKey),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of answers) statuses.add(status);
    }
    // A caller whose own credential was revoked first may be told that instead.
    statuses.delete(401);
    expect(statuses).toEqual(new Set([200, 409]));
  });
});

describe("a rotated credential", () => {
  it("has another value at once, is the same otherwise, and the old value stops within 200 ms on every node", async () => {
    const { ok } = await createProject();
    const { projectKey: old, ...made } = await ok(CREATE, { name: "rotated", scopes: ["read"] });
    expect(await statusOf(old, other)).toBe(200);
    const { projectKey, ...rotated } = await ok(ROTATE, { credentialId: made.credentialId });
    const rotatedAt = Date.now();
    expect(rotated).toEqual({ ...made, lastSix: projectKey.slice(-6), previousValidUntil: null });
    expect(await statusOf(projectKey)).toBe(200);
    expect(await statusOf(projectKey, other)).toBe(200);
    for (const node of [service, other]) {
      expect((await untilRefused(old, node)).lastLetIn - rotatedAt).toBeLessThan(200);
    }
  });

  it("goes on under its old values until the grace of each ends", async () => {
    const { ok } = await createProject();
    const { credentialId, projectKey: first } = await ok(CREATE, { scopes: ["read"] });
    const { projectKey: second, ...long } = await ok(ROTATE, { credentialId, graceSeconds: 3_600 });
    const { projectKey: third, ...short } = await ok(ROTATE, { credentialId, graceSeconds: 8 });
    const { projectKey: fourth } = await ok(ROTATE, { credentialId, graceSeconds: 0 });
    // The list shows the last end, whichever rotation it came from.
    expect((await ok(LIST, {})).credentials[0].previousValidUntil).toBe(long.previousValidUntil);
    expect(await Promise.all([first, second, fourth].map((value) => statusOf(value, other)))).toEqual([200, 200, 200]);
    await untilRefused(third, other);
    const { lastLetIn, refused } = await untilRefused(second, other);
    const end = Date.parse(short.previousValidUntil);
    expect(refused).toBeGreaterThanOrEqual(end);
    expect(lastLetIn - end).toBeLessThan(200);
    expect(await Promise.all([first, fourth].map((value) => statusOf(value)))).toEqual([200, 200]);
  });

  it("keeps at most 20 values in grace; one more is refused, unless it asks for no grace", async () => {
    const { ok, call } = await createProject();
    const { credentialId, projectKey } = await ok(CREATE, {});
    for (let rotation = 0; rotation < 20; rotation++) await ok(ROTATE, { credentialId, graceSeconds: 3_600 });
    expectProblem(await call(ROTATE, { credentialId, graceSeconds: 1 }), 409, "failed_precondition");
    const { projectKey: newest } = await ok(ROTATE, { credentialId });
    expect(await Promise.all([projectKey, newest].map((value) => statusOf(value)))).toEqual([200, 200]);
  });

  it("keeps every value that was shown, when it is rotated at once on several nodes", async () => {
    const { ok, projectKey } = await createProject();
    const { credentialId } = await ok(CREATE, {});
    const rotations = [service, other, service, other].map((node) =>
      node.ok(ROTATE, { credentialId, graceSeconds: 3_600 }, projectKey),
    );
    const values = (await Promise.all(rotations)).map((rotated) => rotated.projectKey);
    expect(await Promise.all(values.map((value) => statusOf(value)))).toEqual([200, 200, 200, 200]);
  });
});

describe("the audit log", () => {
  it("has every change of a credential, and no value", async () => {
    const { ok } = await createProject();
    const made = await ok(CREATE, { name: "audited", scopes: ["ingest"] });
    const { credentialId } = made;
    const rotated = await ok(ROTATE, { credentialId, graceSeconds: 60 });
    await ok(REVOKE, { credentialId });
    const { entries } = await ok("/audit/list", { targetId: credentialId });
    const settings = { name: "audited", scopes: ["ingest"] };
    expect(entries.map(({ action, before, after }: Record<string, unknown>) => [action, before, after])).toEqual([
      [
        "credential.revoke",
        { ...settings, lastSix: rotated.lastSix, previousValidUntil: rotated.previousValidUntil },
        {},
      ],
      [
        "credential.rotate",
        { lastSix: made.lastSix, previousValidUntil: null },
        { lastSix: rotated.lastSix, previousValidUntil: rotated.previousValidUntil },
      ],
      ["credential.create", {}, { ...settings, lastSix: made.lastSix, previousValidUntil: null }],
    ]);
    for (const { projectKey } of [made, rotated]) expect(JSON.stringify(entries)).not.toContain(projectKey);
  });
});
