import { describe, expect, it } from "vitest";
import { type Credential, newCredential, PREVIOUS_MAX, previousValidUntil, rotateCredential } from "./project.ts";

const value = (name: string) => ({ hash: Buffer.from(name), lastSix: name.padStart(6, "0").slice(-6) });
const FIRST = newCredential("project_1", { name: null, scopes: ["validate", "read"] }, value("1"), 1_000);

/** Rotates as often as there are graces, in seconds, at the time 1,000. */
function rotated(...graces: number[]): Credential | undefined {
  return graces.reduce<Credential | undefined>(
    (credential, grace, index) => credential && rotateCredential(credential, value(`${index + 2}`), grace, 1_000),
    FIRST,
  );
}

describe("newCredential", () => {
  it("has the scopes that were asked for, in their own order, and every one when none was", () => {
    expect(FIRST.scopes).toEqual(["read", "validate"]);
    const { scopes } = newCredential("project_1", { name: null, scopes: [] }, value("1"), 0);
    expect(scopes).toEqual(["manage", "read", "validate", "ingest"]);
  });

  it("can never have the scope of the operator", () => {
    expect(newCredential("project_1", { name: null, scopes: ["operator"] }, value("1"), 0).scopes).toEqual([]);
  });
});

describe("rotateCredential", () => {
  it("changes nothing but the value, and forgets the old one without a grace", () => {
    expect(rotated(0)).toEqual({ ...FIRST, ...value("2"), previous: [] });
  });

  it("keeps the old value until its grace ends, and those before it until theirs", () => {
    expect(rotated(60, 5, 0)?.previous).toEqual([
      { hash: Buffer.from("1"), validUntil: new Date(61_000) },
      { hash: Buffer.from("2"), validUntil: new Date(6_000) },
    ]);
  });

  it("forgets values whose grace has ended", () => {
    const later = rotateCredential(rotated(60, 5) ?? FIRST, value("9"), 1, 6_000);
    expect(later?.previous).toEqual([
      { hash: Buffer.from("1"), validUntil: new Date(61_000) },
      { hash: Buffer.from("3"), validUntil: new Date(7_000) },
    ]);
  });

  it("keeps so many values in grace and no more, but always goes on without a grace", () => {
    const full = Array.from({ length: PREVIOUS_MAX }, () => 60);
    expect(rotated(...full)?.previous).toHaveLength(PREVIOUS_MAX);
    expect(rotated(...full, 60)).toBeUndefined();
    expect(rotated(...full, 0)?.previous).toHaveLength(PREVIOUS_MAX);
  });
});

describe("previousValidUntil", () => {
  it("is the end of the last grace, and null when none is left", () => {
    const credential = rotated(60, 5) ?? FIRST;
    expect(previousValidUntil(credential, 1_000)).toEqual(new Date(61_000));
    expect(previousValidUntil(credential, 60_999)).toEqual(new Date(61_000));
    expect(previousValidUntil(credential, 61_000)).toBeNull();
    expect(previousValidUntil(FIRST, 0)).toBeNull();
  });
});
