import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDataKey, createKeyring, unwrapDataKey, wrapDataKey } from "./keyring.ts";

const DATA_KEY = Buffer.alloc(32, 7);
const keyring = createKeyring(DATA_KEY);

/** The bytes with one bit changed. */
function flip(bytes: Buffer, index: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
  return changed;
}

describe("hashes", () => {
  it("are the same for the same value, over keyrings of one data key", () => {
    const again = createKeyring(Buffer.from(DATA_KEY));
    expect(keyring.hashKey("sk_1")).toEqual(again.hashKey("sk_1"));
    expect(keyring.hashCredential("proj_1")).toEqual(again.hashCredential("proj_1"));
  });

  it("stay what they are: stored ones must be found by later versions", () => {
    expect(keyring.hashKey("sk_1").toString("hex")).toBe(
      "2d374483a05061b5e2179f666bff0bbdc5c9a450beebfdc401c587a325bb7270",
    );
    expect(keyring.hashCredential("sk_1").toString("hex")).toBe(
      "2e93cf33a044c4caa05b013689e126fcfe6105127ad5857e0f5853c1388a17b0",
    );
  });

  it("have 256 bits, and differ by value, by purpose and by data key", () => {
    const other = createKeyring(createDataKey());
    const hashes = [
      keyring.hashKey("sk_1"),
      keyring.hashKey("sk_2"),
      keyring.hashKey(""),
      keyring.hashCredential("sk_1"),
      other.hashKey("sk_1"),
      other.hashCredential("sk_1"),
    ];
    expect(new Set(hashes.map((hash) => hash.toString("hex"))).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash.length).toBe(32);
  });
});

describe("an encrypted key", () => {
  const sealed = keyring.encryptKey("sk_value", "key_1");

  it.each(["sk_value", "", "é\0😀", "x".repeat(8_192)])("is decrypted to what it was", (value) => {
    expect(keyring.decryptKey(keyring.encryptKey(value, "key_1"), "key_1")).toBe(value);
  });

  it("shows nothing of the value, and looks different each time", () => {
    expect(sealed.includes("sk_value")).toBe(false);
    expect(keyring.encryptKey("sk_value", "key_1")).not.toEqual(sealed);
  });

  it.each(["key_2", "", "key_1 ", "KEY_1"])("is not decrypted for the key id %j", (keyId) => {
    expect(() => keyring.decryptKey(sealed, keyId)).toThrow();
  });

  it("is not decrypted when any one of its bytes was changed", () => {
    for (const index of sealed.keys()) {
      expect(() => keyring.decryptKey(flip(sealed, index), "key_1"), String(index)).toThrow();
    }
  });

  it("is not decrypted when it was cut short, not even to a shorter tag, or lengthened", () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => keyring.decryptKey(sealed.subarray(0, length), "key_1"), String(length)).toThrow();
    }
    expect(() => keyring.decryptKey(Buffer.concat([sealed, Buffer.alloc(1)]), "key_1")).toThrow();
  });

  it("is not decrypted under another data key", () => {
    expect(() => createKeyring(createDataKey()).decryptKey(sealed, "key_1")).toThrow();
  });
});

describe("an encrypted signing secret", () => {
  const sealed = keyring.encryptSigningSecret("whsec_value", "project_1");

  it("is decrypted to what it was, for its project alone, and under a key of its own", () => {
    expect(keyring.decryptSigningSecret(sealed, "project_1")).toBe("whsec_value");
    expect(sealed.includes("whsec_value")).toBe(false);
    expect(() => keyring.decryptSigningSecret(sealed, "project_2")).toThrow();
    expect(() => keyring.decryptKey(sealed, "project_1")).toThrow();
    for (const index of sealed.keys()) {
      expect(() => keyring.decryptSigningSecret(flip(sealed, index), "project_1")).toThrow();
    }
  });
});

describe("a wrapped data key", () => {
  const salt = Buffer.alloc(16, 1);
  const dataKey = createDataKey();
  const wrapped = wrapDataKey(dataKey, "the master secret", salt);

  it("is unwrapped with the secret and the salt", () => {
    expect(dataKey.length).toBe(32);
    expect(unwrapDataKey(wrapped, "the master secret", salt)).toEqual(dataKey);
  });

  it("is not unwrapped with another secret, another salt, or when it was changed", () => {
    expect(() => unwrapDataKey(wrapped, "the master secret ", salt)).toThrow();
    expect(() => unwrapDataKey(wrapped, "", salt)).toThrow();
    expect(() => unwrapDataKey(wrapped, "the master secret", randomBytes(16))).toThrow();
    for (const index of wrapped.keys()) {
      expect(() => unwrapDataKey(flip(wrapped, index), "the master secret", salt)).toThrow();
    }
  });

  it("does not hold the data key in clear", () => {
    expect(wrapped.includes(dataKey)).toBe(false);
  });

  it("is made anew each time", () => {
    expect(createDataKey()).not.toEqual(dataKey);
  });
});
