import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCursor, readCursor } from "./cursor.ts";
import { createKeyring } from "./keyring.ts";

const keyring = createKeyring(Buffer.alloc(32, 5));
const QUERY = ["/audit/list", "project_1", null];

describe("a cursor", () => {
  it("leads back to its position, whatever that is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (position) => {
        expect(readCursor(keyring, QUERY, createCursor(keyring, QUERY, position))).toBe(position);
      }),
    );
  });

  it("is worth nothing for another query, another project, and under another data key", () => {
    const cursor = createCursor(keyring, QUERY, "audit_1");
    expect(readCursor(keyring, ["/audit/list", "project_2", null], cursor)).toBeUndefined();
    expect(readCursor(keyring, ["/audit/list", "project_1", "key_1"], cursor)).toBeUndefined();
    expect(readCursor(createKeyring(Buffer.alloc(32, 6)), QUERY, cursor)).toBeUndefined();
  });

  it("is worth nothing once a character is changed, added or cut off", () => {
    const cursor = createCursor(keyring, QUERY, "audit_01m7ybxcjmgrmavx6mc6xnpnx4");
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor[at] === "A" ? "B" : "A";
      expect(
        readCursor(keyring, QUERY, cursor.slice(0, at) + other + cursor.slice(at + 1)),
        `at ${at}`,
      ).toBeUndefined();
      expect(readCursor(keyring, QUERY, cursor.slice(0, at)), `up to ${at}`).toBeUndefined();
    }
    for (const added of ["A", "=", " ", "\n", "é"]) expect(readCursor(keyring, QUERY, cursor + added)).toBeUndefined();
  });
});
