import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDataKey, createKeyring } from "../secrets/keyring.ts";
import { createKeyFinder } from "./find-key.ts";
import type { Key } from "./key.ts";
import { createKeyValue } from "./key-value.ts";

const keyring = createKeyring(createDataKey());
const sha256 = (value: string) => createHash("sha256").update(value).digest();
const keyOf = (projectId: string, keyId: string): Key =>
  // The finder reads no more of a key.
  ({ _id: keyId, projectId }) as Key;

/** A finder over keys in memory, which counts its look-ups. */
function setUp() {
  const present = new Map<string, Key>();
  const importers = new Set<string>();
  const clock = { nowMs: 0 };
  const lookUps = { byHash: 0, imports: 0 };
  const broken = { store: false };
  const find = createKeyFinder({
    keyring,
    monotonicMs: () => clock.nowMs,
    async find(hash) {
      lookUps.byHash += 1;
      const key = present.get(hash.toString("hex"));
      return key && { key };
    },
    async hasImports(projectId) {
      lookUps.imports += 1;
      if (broken.store) throw new Error("out of reach");
      return importers.has(projectId);
    },
  });
  const addImport = (projectId: string, value: string, keyId: string) => {
    importers.add(projectId);
    present.set(keyring.hashImportedKey(projectId, sha256(value)).toString("hex"), keyOf(projectId, keyId));
  };
  return { find, present, clock, lookUps, broken, addImport };
}

describe("a value of our form", () => {
  const value = createKeyValue("sk");
  const hash = keyring.hashKey(value).toString("hex");

  it("is found by its HMAC, without a thought of imports", async () => {
    const { find, present, lookUps } = setUp();
    present.set(hash, keyOf("project_1", "key_1"));
    expect(await find("project_1", value)).toMatchObject({ key: { _id: "key_1" } });
    expect(lookUps).toEqual({ byHash: 1, imports: 0 });
  });

  it("is refused from memory for 150 ms when no key has it", async () => {
    const { find, lookUps, clock } = setUp();
    const ask = () => find("project_1", value);
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(lookUps.byHash).toBe(1);
    clock.nowMs += 151;
    await ask();
    expect(lookUps.byHash).toBe(2);
  });

  it("is not found in another project, unless that has imported it", async () => {
    const { find, present, addImport, clock } = setUp();
    present.set(hash, keyOf("project_1", "key_1"));
    expect(await find("project_2", value)).toBeUndefined();
    addImport("project_2", value, "key_2");
    clock.nowMs += 151;
    expect(await find("project_2", value)).toMatchObject({ key: { _id: "key_2" } });
    expect(await find("project_1", value)).toMatchObject({ key: { _id: "key_1" } });
  });

  it("is found by its SHA-256 when it was imported from another installation", async () => {
    const { find, addImport } = setUp();
    addImport("project_1", value, "key_1");
    expect(await find("project_1", value)).toMatchObject({ key: { _id: "key_1" } });
  });
});

describe("a value that is none of ours", () => {
  it("costs a project without imports one question in 150 ms, however many values come at once", async () => {
    const { find, lookUps, clock } = setUp();
    const ask = () => Promise.all(Array.from({ length: 50 }, () => find("project_1", randomBytes(9).toString("hex"))));
    expect(new Set(await ask())).toEqual(new Set([undefined]));
    clock.nowMs += 150;
    await ask();
    expect(lookUps).toEqual({ byHash: 0, imports: 1 });
    clock.nowMs += 1;
    await ask();
    expect(lookUps).toEqual({ byHash: 0, imports: 2 });
  });

  it("is found where it was imported, and nowhere else", async () => {
    const { find, addImport } = setUp();
    addImport("project_1", "legacy-1", "key_1");
    addImport("project_2", "legacy-2", "key_2");
    expect(await find("project_1", "legacy-1")).toMatchObject({ key: { _id: "key_1" } });
    expect(await find("project_2", "legacy-1")).toBeUndefined();
    expect(await find("project_1", "legacy-1 ")).toBeUndefined();
  });

  it("is refused from memory for 150 ms, then looked up again", async () => {
    const { find, addImport, lookUps, clock } = setUp();
    addImport("project_1", "legacy-1", "key_1");
    await find("project_1", "legacy-2");
    addImport("project_1", "legacy-2", "key_2");
    clock.nowMs += 150;
    expect(await find("project_1", "legacy-2")).toBeUndefined();
    expect(lookUps.byHash).toBe(1);
    clock.nowMs += 1;
    expect(await find("project_1", "legacy-2")).toMatchObject({ key: { _id: "key_2" } });
  });

  it("is never answered from memory when it is found: a deleted import is refused at once", async () => {
    const { find, addImport, present } = setUp();
    addImport("project_1", "legacy-1", "key_1");
    await find("project_1", "legacy-1");
    present.clear();
    expect(await find("project_1", "legacy-1")).toBeUndefined();
  });

  it("takes no more than 10,000 places in memory", async () => {
    const { find, addImport, lookUps } = setUp();
    addImport("project_1", "legacy-1", "key_1");
    for (let value = 0; value <= 10_000; value++) await find("project_1", `garbage ${value}`);
    expect(lookUps.byHash).toBe(10_001);
    await find("project_1", "garbage 10000");
    expect(lookUps.byHash).toBe(10_001);
    await find("project_1", "garbage 0");
    expect(lookUps.byHash).toBe(10_002);
  });

  it("fails while the database is out of reach, and is answered as soon as it is back", async () => {
    const { find, broken } = setUp();
    broken.store = true;
    await expect(find("project_1", "legacy-1")).rejects.toThrow("out of reach");
    broken.store = false;
    expect(await find("project_1", "legacy-1")).toBeUndefined();
  });
});
