import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Key, previousValidUntil, type StoredValue, withNewValue } from "./key.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const KEY: Key = {
  _id: "key_1",
  projectId: "project_1",
  consumerId: "consumer_1",
  hash: Buffer.from("first"),
  ciphertext: Buffer.from("sealed"),
  lastSix: "abcdef",
  previous: [],
  isImported: false,
  name: "name",
  status: "disabled",
  allowedApis: ["api_1"],
  prefix: "live",
  expiresAt: new Date(NOW + 1),
  metadata: "{}",
  createdAt: new Date(NOW - 1),
  updatedAt: new Date(NOW - 1),
};
const IMPORTED: Key = { ...KEY, ciphertext: null, lastSix: null, prefix: null, isImported: true };

const value = (name: string): StoredValue => ({
  hash: Buffer.from(name),
  ciphertext: null,
  lastSix: name.slice(-6),
  prefix: "live",
});
const second = value("second");
const third = value("third");

describe("withNewValue", () => {
  it("replaces the value and nothing else that the caller has set", () => {
    const rotated = withNewValue(KEY, second, 60, NOW);
    const { hash, ciphertext, lastSix, previous, updatedAt, ...kept } = rotated;
    expect({ hash, ciphertext, lastSix }).toEqual({ hash: second.hash, ciphertext: null, lastSix: "second" });
    expect(updatedAt).toEqual(new Date(NOW));
    expect(KEY).toMatchObject(kept);
    expect(previous).toEqual([{ hash: KEY.hash, validUntil: new Date(NOW + 60_000), isImported: false }]);
  });

  it("keeps nothing of the old value without a grace", () => {
    expect(withNewValue(KEY, second, 0, NOW).previous).toEqual([]);
  });

  it("leaves each old value its own grace, and removes those whose grace is over", () => {
    const once = withNewValue(KEY, second, 60, NOW);
    const at = (nowMs: number) =>
      withNewValue(once, third, 10, nowMs).previous.map(({ hash, validUntil }) => [hash.toString(), +validUntil]);
    expect(at(NOW + 59_999)).toEqual([
      ["first", NOW + 60_000],
      ["second", NOW + 69_999],
    ]);
    expect(at(NOW + 60_000)).toEqual([["second", NOW + 70_000]]);
  });

  it("goes on to say that a key is imported as long as a value of another service is in its grace", () => {
    const rotated = withNewValue(IMPORTED, second, 60, NOW);
    expect(rotated).toMatchObject({ isImported: true, prefix: "live", lastSix: "second" });
    expect(withNewValue(rotated, third, 60, NOW + 59_999)).toMatchObject({ isImported: true });
    expect(withNewValue(rotated, third, 60, NOW + 60_000)).toMatchObject({ isImported: false });
    expect(withNewValue(IMPORTED, second, 0, NOW)).toMatchObject({ isImported: false });
  });

  it("never keeps a value that does not validate, whatever the rotations", () => {
    const rotation = fc.record({ graceSeconds: fc.nat(100), afterMs: fc.nat(100_000) });
    fc.assert(
      fc.property(fc.array(rotation, { maxLength: 20 }), (rotations) => {
        let [key, nowMs] = [KEY, NOW];
        const ends = new Map<string, number>();
        for (const [index, { graceSeconds, afterMs }] of rotations.entries()) {
          nowMs += afterMs;
          ends.set(key.hash.toString(), nowMs + graceSeconds * 1_000);
          key = withNewValue(key, value(`value ${index}`), graceSeconds, nowMs);
          const expected = [...ends].filter(([, end]) => end > nowMs);
          expect(key.previous.map(({ hash, validUntil }) => [hash.toString(), +validUntil])).toEqual(expected);
        }
      }),
    );
  });
});

describe("previousValidUntil", () => {
  const previous = [5, 9, 7].map((ms) => ({ hash: KEY.hash, validUntil: new Date(NOW + ms), isImported: false }));

  it("is the latest time, and null from that time on", () => {
    expect(previousValidUntil({ previous }, NOW)).toEqual(new Date(NOW + 9));
    expect(previousValidUntil({ previous }, NOW + 8)).toEqual(new Date(NOW + 9));
    expect(previousValidUntil({ previous }, NOW + 9)).toBeNull();
  });

  it("is null when nothing was rotated away", () => {
    expect(previousValidUntil(KEY, NOW)).toBeNull();
  });
});
