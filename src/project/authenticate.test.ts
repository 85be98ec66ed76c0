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
  const find = async (hash: Buffer) => [...stored].find(([value]) => keyring.hashCredential(value).equals(hash))?.[1];
  const findCredential = vi.fn(find);
  const clock = { nowMs: 1_000 };
  const authenticate = createAuthenticator({
    keyring,
    adminKey: ADMIN,
    findCredential,
    monotonicMs: () => clock.nowMs,
  });
  return { authenticate, findCredential, clock, stored };
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
    const { authenticate, findCredential } = setUp();
    expect(await authenticate(ADMIN)).toEqual({
      projectId: "",
      credentialId: "operator",
      scopes: new Set(["operator"]),
      credential: ADMIN,
    });
    expect(findCredential).not.toHaveBeenCalled();
  });

  it("looks up by the hash, never by the value", async () => {
    const { authenticate, findCredential } = setUp();
    await authenticate(KNOWN);
    expect(findCredential).toHaveBeenCalledExactlyOnceWith(keyring.hashCredential(KNOWN));
  });

  it("remembers an answer for less than 200 ms", async () => {
    const { authenticate, findCredential, clock } = setUp();
    await authenticate(KNOWN);
    clock.nowMs += 149;
    await authenticate(KNOWN);
    expect(findCredential).toHaveBeenCalledTimes(1);
    clock.nowMs += 1;
    await authenticate(KNOWN);
    expect(findCredential).toHaveBeenCalledTimes(2);
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
    const { authenticate, findCredential, clock, stored } = setUp();
    expect(await authenticate("proj_new")).toBeUndefined();
    stored.set("proj_new", credentialOf("proj_new"));
    expect(await authenticate("proj_new")).toBeUndefined();
    clock.nowMs += 150;
    expect(await authenticate("proj_new")).toMatchObject({ projectId: "project_1" });
    expect(findCredential).toHaveBeenCalledTimes(2);
  });

  it("counts the freshness from the start of the look-up, not from its end", async () => {
    const { authenticate, findCredential, clock } = setUp();
    const slow = Promise.withResolvers<Credential>();
    findCredential.mockReturnValueOnce(slow.promise);
    const first = authenticate(KNOWN);
    clock.nowMs += 150;
    slow.resolve(credentialOf(KNOWN));
    await first;
    await authenticate(KNOWN);
    expect(findCredential).toHaveBeenCalledTimes(2);
  });

  it("makes one look-up for all who ask at once, and one for each credential", async () => {
    const { authenticate, findCredential } = setUp();
    const callers = await Promise.all(Array.from({ length: 100 }, () => authenticate(KNOWN)));
    expect(findCredential).toHaveBeenCalledTimes(1);
    expect(new Set(callers.map((caller) => caller?.credentialId))).toEqual(new Set(["credential_1"]));
    await Promise.all([authenticate("proj_a"), authenticate("proj_b")]);
    expect(findCredential).toHaveBeenCalledTimes(3);
  });

  it("gives a failure to all who wait for it, and remembers none", async () => {
    const { authenticate, findCredential } = setUp();
    findCredential.mockRejectedValueOnce(new Error("down"));
    const results = await Promise.allSettled([authenticate(KNOWN), authenticate(KNOWN)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(findCredential).toHaveBeenCalledTimes(1);
    expect(await authenticate(KNOWN)).toMatchObject({ credentialId: "credential_1" });
  });

  it("stays bounded and right when it is asked for very many credentials", async () => {
    const { authenticate, findCredential } = setUp();
    findCredential.mockImplementation(async () => undefined);
    for (let index = 0; index < 10_001; index++) await authenticate(`proj_${index}`);
    await authenticate("proj_0");
    expect(findCredential).toHaveBeenCalledTimes(10_002);
  });
});
