import { describe, expect, it, vi } from "vitest";
import type { Scope } from "../../gen/gateway.js";
import { createKeyring } from "../secrets/keyring.ts";
import { createAuthenticator } from "./authenticate.ts";
import type { Credential } from "./project.ts";

const keyring = createKeyring(Buffer.alloc(32, 3));
const ADMIN = "admin-key-of-the-tests";
const KNOWN = "proj_known";

function credentialOf(value: string, scopes: Scope[] = ["read", "validate"]): Credential {
  return {
    _id: "credential_1",
    projectId: "project_1",
    name: null,
    hash: keyring.hashCredential(value),
    lastSix: value.slice(-6),
    previous: [],
    scopes,
    createdAt: new Date(0),
  };
}

/** An authenticator with a clock of the test's own and one credential in its database. */
function setUp() {
  const stored = new Map([[KNOWN, credentialOf(KNOWN)]]);
  const findCredentials = vi.fn(async (hashes: readonly Buffer[]) => {
    const byHash = new Map([...stored].map(([value, found]) => [idOf(value), found]));
    return new Map([...byHash].filter(([id]) => hashes.some((hash) => hash.toString("latin1") === id)));
  });
  const clock = { nowMs: 1_000 };
  const authenticate = createAuthenticator({
    keyring,
    adminKey: ADMIN,
    store: { findCredentials },
    strangersPace: () => 500,
    monotonicMs: () => clock.nowMs,
  });
  return { authenticate, findCredentials, clock, stored };
}

function idOf(value: string): string {
  return keyring.hashCredential(value).toString("latin1");
}

describe("authenticate", () => {
  it("finds the project, the id and the scopes of a credential, and repeats it", async () => {
    expect(await setUp().authenticate(KNOWN)).toEqual({
      projectId: "project_1",
      credentialId: "credential_1",
      scopes: new Set(["read", "validate"]),
      credential: KNOWN,
    });
  });

  it("finds nobody for a credential that is unknown, nearly known or empty", async () => {
    const { authenticate } = setUp();
    for (const value of ["proj_unknown", `${KNOWN} `, KNOWN.toUpperCase(), "", `${ADMIN}x`]) {
      expect(await authenticate(value), value).toBeUndefined();
    }
  });

  it("knows the operator without a look-up, in no project and with no scope of one", async () => {
    const { authenticate, findCredentials } = setUp();
    expect(await authenticate(ADMIN)).toEqual({
      projectId: "",
      credentialId: "operator",
      scopes: new Set(["operator"]),
      credential: ADMIN,
    });
    expect(findCredentials).not.toHaveBeenCalled();
  });

  it("looks up by the hash, never by the value", async () => {
    const { authenticate, findCredentials } = setUp();
    await authenticate(KNOWN);
    expect(findCredentials).toHaveBeenCalledExactlyOnceWith([keyring.hashCredential(KNOWN)]);
  });

  it("remembers an answer for less than 200 ms", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    await authenticate(KNOWN);
    clock.nowMs += 149;
    await authenticate(KNOWN);
    expect(findCredentials).toHaveBeenCalledTimes(1);
    clock.nowMs += 1;
    await authenticate(KNOWN);
    expect(findCredentials).toHaveBeenCalledTimes(2);
  });

  it("is not kept fresh by use: a revoked credential in constant use stops in time", async () => {
    const { authenticate, clock, stored } = setUp();
    await authenticate(KNOWN);
    stored.delete(KNOWN);
    for (let elapsed = 10; elapsed < 150; elapsed += 10) {
      clock.nowMs += 10;
      await authenticate(KNOWN);
    }
    clock.nowMs += 10;
    expect(await authenticate(KNOWN)).toBeUndefined();
  });

  it("remembers as briefly that a credential is unknown", async () => {
    const { authenticate, findCredentials, clock, stored } = setUp();
    expect(await authenticate("proj_new")).toBeUndefined();
    stored.set("proj_new", credentialOf("proj_new"));
    expect(await authenticate("proj_new")).toBeUndefined();
    clock.nowMs += 150;
    expect(await authenticate("proj_new")).toMatchObject({ projectId: "project_1" });
    expect(findCredentials).toHaveBeenCalledTimes(2);
  });

  it("counts the freshness from the start of the look-up, not from its end", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    const slow = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(slow.promise);
    const first = authenticate(KNOWN);
    clock.nowMs += 150;
    slow.resolve(new Map([[idOf(KNOWN), credentialOf(KNOWN)]]));
    await first;
    await authenticate(KNOWN);
    expect(findCredentials).toHaveBeenCalledTimes(2);
  });

  it("lets nobody share a look-up that may have found what was revoked more than 150 ms ago", async () => {
    const { authenticate, findCredentials, clock, stored } = setUp();
    await authenticate(KNOWN);
    clock.nowMs += 150;
    // Found, and then on its way for long: the database, or the machine, stands still.
    const slow = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(slow.promise);
    const early = authenticate(KNOWN);
    clock.nowMs += 149;
    const shares = authenticate(KNOWN);
    stored.delete(KNOWN);
    clock.nowMs += 1;
    const late = authenticate(KNOWN);
    slow.resolve(new Map([[idOf(KNOWN), credentialOf(KNOWN)]]));
    expect([await early, await shares]).toMatchObject([{ projectId: "project_1" }, { projectId: "project_1" }]);
    expect(await late).toBeUndefined();
    expect(await authenticate(KNOWN)).toBeUndefined();
    expect(findCredentials).toHaveBeenCalledTimes(3);
  });

  it("refuses nobody who was right before, however long the database takes", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    await authenticate(KNOWN);
    clock.nowMs += 150;
    const slow = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(slow.promise);
    const early = authenticate(KNOWN);
    clock.nowMs += 150;
    const late = authenticate(KNOWN);
    clock.nowMs += 2_000;
    slow.resolve(new Map([[idOf(KNOWN), credentialOf(KNOWN)]]));
    expect([await early, await late]).toMatchObject([{ projectId: "project_1" }, { projectId: "project_1" }]);
  });

  it("makes one look-up for all who ask at once, and one for all strangers who come meanwhile", async () => {
    const { authenticate, findCredentials } = setUp();
    const callers = await Promise.all(Array.from({ length: 100 }, () => authenticate(KNOWN)));
    expect(findCredentials).toHaveBeenCalledTimes(1);
    expect(new Set(callers.map((caller) => caller?.credentialId))).toEqual(new Set(["credential_1"]));
    await Promise.all(["proj_a", "proj_b", "proj_c"].map((value) => authenticate(value)));
    expect(findCredentials.mock.calls.map(([hashes]) => hashes.length)).toEqual([1, 1, 2]);
  });

  it("lets who was right before pass at once while strangers wait, also once it has to be looked up anew", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    await authenticate(KNOWN);
    const stuck = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(stuck.promise);
    const guesses = Array.from({ length: 5_000 }, (_, index) => authenticate(`proj_${index}`));
    clock.nowMs += 1_000;
    expect(await authenticate(KNOWN)).toMatchObject({ credentialId: "credential_1" });
    stuck.resolve(new Map());
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([undefined]));
  });

  it("refuses strangers beyond those that wait, for a second, and nobody who was right before", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    await authenticate(KNOWN);
    const stuck = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(stuck.promise);
    const guesses = Array.from({ length: 5_001 }, (_, index) => authenticate(`proj_${index}`));
    const refusal = { reason: "TOO_MANY_REQUESTS", retryAfterSeconds: 1 };
    await expect(authenticate("proj_one_more")).rejects.toMatchObject(refusal);
    clock.nowMs += 1_000;
    expect(await authenticate(KNOWN)).toMatchObject({ credentialId: "credential_1" });
    stuck.resolve(new Map());
    await Promise.all(guesses);
    expect(await authenticate("proj_one_more")).toBeUndefined();
  });

  it("refuses strangers who have waited for 1.5 s, because the thread is busy with others", async () => {
    const { authenticate, findCredentials, clock } = setUp();
    const stuck = Promise.withResolvers<Map<string, Credential>>();
    findCredentials.mockReturnValueOnce(stuck.promise);
    const first = authenticate("proj_first");
    const late = authenticate("proj_late");
    clock.nowMs += 1_501;
    stuck.resolve(new Map());
    expect(await first).toBeUndefined();
    await expect(late).rejects.toMatchObject({ reason: "TOO_MANY_REQUESTS", retryAfterSeconds: 1 });
  });

  it("finds a new credential among any number of wrong ones", async () => {
    const { authenticate, stored } = setUp();
    stored.set("proj_new", credentialOf("proj_new"));
    const guesses = Array.from({ length: 2_000 }, (_, index) => authenticate(`proj_${index}`));
    const found = authenticate("proj_new");
    const more = Array.from({ length: 2_000 }, (_, index) => authenticate(`proj_more_${index}`));
    expect(await found).toMatchObject({ credentialId: "credential_1" });
    expect(new Set(await Promise.all([...guesses, ...more]))).toEqual(new Set([undefined]));
  });

  it("does not look up what is longer than any credential", async () => {
    const { authenticate, findCredentials } = setUp();
    expect(await authenticate("x".repeat(257))).toBeUndefined();
    expect(findCredentials).not.toHaveBeenCalled();
  });

  it("gives a failure to all who wait for it, and remembers none", async () => {
    const { authenticate, findCredentials } = setUp();
    findCredentials.mockRejectedValueOnce(new Error("down"));
    const results = await Promise.allSettled([authenticate(KNOWN), authenticate(KNOWN)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(findCredentials).toHaveBeenCalledTimes(1);
    expect(await authenticate(KNOWN)).toMatchObject({ credentialId: "credential_1" });
  });

  it("forgets wrong credentials rather than right ones when it is asked for very many", async () => {
    const { authenticate, findCredentials } = setUp();
    await authenticate(KNOWN);
    for (let index = 0; index < 10_001; index++) await authenticate(`proj_${index}`);
    expect(findCredentials).toHaveBeenCalledTimes(10_002);
    await authenticate(KNOWN);
    expect(findCredentials).toHaveBeenCalledTimes(10_002);
    await authenticate("proj_0");
    expect(findCredentials).toHaveBeenCalledTimes(10_003);
  });
});
