import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyValue, isKeyValue } from "./key-value.ts";

const CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIXES = ["sk", "a", "my_app_live", "A1_b2_C3", "x".repeat(32)];

const replace = (text: string, index: number, by: string) => text.slice(0, index) + by + text.slice(index + 1);

describe("a key's value", () => {
  it.each(PREFIXES)("is the prefix %s, 27 random characters and 6 of checksum", (prefix) => {
    const value = createKeyValue(prefix);
    expect(value).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{33}$`));
    expect(isKeyValue(value)).toBe(true);
  });

  it("is never made twice", () => {
    const values = Array.from({ length: 5_000 }, () => createKeyValue("sk"));
    expect(new Set(values).size).toBe(values.length);
    expect(values.every(isKeyValue)).toBe(true);
  });

  it("draws every character about equally often", () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 10_000; made++) {
      for (const character of createKeyValue("sk").slice(3, 30)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (10_000 * 27) / 62;
    expect([...counts.keys()].sort()).toEqual([...CHARACTERS].sort());
    // Its standard deviation is 66; a generator that took bytes modulo 62 would be off by a fifth.
    for (const times of counts.values()) expect(Math.abs(times - expected)).toBeLessThan(550);
  });
});

describe("isKeyValue", () => {
  it("refuses a value in which any one character was changed to any other", () => {
    for (const prefix of ["sk", "my_app"]) {
      const value = createKeyValue(prefix);
      for (let index = 0; index < value.length; index++) {
        for (const by of `${CHARACTERS}_-`) {
          const changed = replace(value, index, by);
          if (changed !== value) expect(isKeyValue(changed), changed).toBe(false);
        }
      }
    }
  });

  it("refuses a value in which two neighbours were swapped", () => {
    for (let made = 0; made < 200; made++) {
      const value = createKeyValue("my_app");
      for (let index = 0; index + 1 < value.length; index++) {
        const swapped = replace(replace(value, index, value.charAt(index + 1)), index + 1, value.charAt(index));
        if (swapped !== value) expect(isKeyValue(swapped), swapped).toBe(false);
      }
    }
  });

  it("refuses a value that lost or gained a character", () => {
    const value = createKeyValue("sk");
    for (let index = 0; index <= value.length; index++) {
      expect(isKeyValue(value.slice(0, index) + value.slice(index + 1)) && index < value.length).toBe(false);
      expect(isKeyValue(`${value.slice(0, index)}0${value.slice(index)}`)).toBe(false);
    }
  });

  it("refuses the value of one prefix under another", () => {
    const value = createKeyValue("sk");
    expect(isKeyValue(`pk${value.slice(2)}`)).toBe(false);
    expect(isKeyValue(`x_${value}`)).toBe(false);
    expect(isKeyValue(value.slice(3))).toBe(false);
  });

  it.each([
    "",
    "_",
    "sk_",
    "k",
    "sk_0",
    " ",
    "\0",
    "é".repeat(36),
    `_${"0".repeat(33)}`,
    `sk_${"0".repeat(33)}`,
    "_".repeat(8_192),
    "0".repeat(8_192),
  ])("refuses garbage: %j", (value) => {
    expect(isKeyValue(value)).toBe(false);
  });

  it.each([" ", "\n", "\r\n", "\0"])("refuses a value with %j before or after it", (space) => {
    const value = createKeyValue("sk");
    expect(isKeyValue(value + space)).toBe(false);
    expect(isKeyValue(space + value)).toBe(false);
  });

  it("refuses every text that was not made by it", () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isKeyValue(text)));
    const like = fc.stringMatching(/^[a-z]{1,8}_[0-9A-Za-z]{33}$/);
    fc.assert(fc.property(like, (text) => !isKeyValue(text)));
  });
});
