import { describe, expect, it } from "vitest";
import { BodyCapture } from "./body-capture.ts";
import { REDACTED, Secrets } from "./redact.ts";

function recorded(body: string, keys: string[]): string | undefined {
  const capture = new BodyCapture();
  for (let at = 0; at < body.length; at += 1_000) capture.take(new TextEncoder().encode(body.slice(at, at + 1_000)));
  return capture.text(new Secrets(keys));
}

describe("the body that is recorded", () => {
  it("has its 1,000 characters however long the key is, and however many bytes a character has", () => {
    for (const character of ["a", "é", "€", "\u{1f511}"]) {
      const body = character.repeat(40_000);
      expect(recorded(body, ["k".repeat(8_192)])).toBe(character.repeat(1_000));
    }
  });

  it("has nothing of a key of which the end was not kept, escaped or not", () => {
    // So long that what is recorded of many comes near to the end of what is kept.
    const key = `sk_${"x".repeat(2_000)}`;
    for (const written of [key, key.replaceAll("x", "%78")]) {
      for (let before = 0; before < 100; before++) {
        expect(recorded("a".repeat(before) + written.repeat(30), [key])).toMatch(/^a*(\[REDACTED\])+$/);
      }
    }
  });

  it("is hidden as a whole where more keys were sent than are sought", () => {
    const keys = Array.from({ length: 17 }, (_, at) => `sk_${at}`);
    expect(recorded("a".repeat(50_000), keys)).toBe(REDACTED);
    expect(recorded("", keys)).toBeUndefined();
  });
});
