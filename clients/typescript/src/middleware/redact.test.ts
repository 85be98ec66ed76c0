import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, REDACTED, redactHeaders, redactQuery, redactText, Secrets } from "./redact.ts";

const key = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 40,
});

/** The key as a URL may have it: each character as it is, or escaped in either case. */
const written = key.chain((secret) =>
  fc
    .array(fc.constantFrom("plain", "%2f", "%2F"), { minLength: secret.length, maxLength: secret.length })
    .map((ways) => ({
      secret,
      text: [...secret].map((character, at) => writeAs(character, ways[at] ?? "plain")).join(""),
    })),
);

function writeAs(character: string, way: string): string {
  // A plain percent sign that something follows would be the begin of another escape.
  if (way === "plain" && character !== "%") return character;
  const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
  return `%${way === "%2f" ? hex : hex.toUpperCase()}`;
}

describe("a redacted text", () => {
  it("is as long as what was sought and stands in it allows, even if keys are parts of what stands for them", () => {
    const text = "R".repeat(100);
    expect(redactText(text, new Secrets(["R", "E", "D", "A", "C", "T", "[", "]"]))).toBe(REDACTED.repeat(100));
  });

  it("has none of 16 keys, and nothing at all where there are more: to seek them would be work for whoever sends them", () => {
    const keys = Array.from({ length: 17 }, (_, at) => `sk_${String.fromCharCode(97 + at)}`);
    expect(redactText("/v1/sk_a/sk_p", new Secrets(keys.slice(0, 16)))).toBe(`/v1/${REDACTED}/${REDACTED}`);
    expect(redactText("/v1/sk_a/sk_p", new Secrets([...keys.slice(0, 16), "", "sk_a"]))).toBe(
      `/v1/${REDACTED}/${REDACTED}`,
    );
    expect(redactText("/v1/things", new Secrets(keys))).toBe(REDACTED);
    expect(redactText("", new Secrets(keys))).toBe("");
  });

  it("has nothing of keys that overlap", () => {
    expect(redactText("/sk_abcdef/", new Secrets(["sk_abc", "bcdef"]))).toBe(`/${REDACTED}/`);
    expect(redactText("/sk%5fabcdef/", new Secrets(["sk_abc", "bcdef"]))).toBe(`/${REDACTED}/`);
  });

  it("has the key nowhere, however it is escaped, and all that is around it", () => {
    fc.assert(
      fc.property(written, ({ secret, text }) => {
        expect(redactText(`/v1/${text}/x?é=${text}`, new Secrets([secret]))).toBe(`/v1/${REDACTED}/x?é=${REDACTED}`);
      }),
    );
  });

  it("that has no key is what it was", () => {
    fc.assert(
      fc.property(fc.string(), key, (text, secret) => {
        fc.pre(!decodeURIComponentSafely(text).includes(secret) && !text.includes(secret));
        expect(redactText(text, new Secrets([secret]))).toBe(text);
      }),
    );
  });

  it("has none of several keys, of which one may be part of another", () => {
    expect(redactText("sk_a sk_abc %73k_abc", new Secrets(["sk_a", "sk_abc"]))).toBe(
      `${REDACTED} ${REDACTED} ${REDACTED}`,
    );
  });
});

function decodeURIComponentSafely(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

it("a redacted query never has the value of a name that tells of a secret, whatever stands around it", () => {
  const part = fc.constantFrom("a=1", "b", "=", "", "x=%zz", "c=%26");
  const name = fc.constantFrom("token", "API-Key", "p%61ssword", "sig", "own");
  fc.assert(
    fc.property(fc.array(part), name, fc.array(part), (before, secretName, after) => {
      const redacted = redactQuery([...before, `${secretName}=hush`, ...after].join("&"), "own", new Secrets([]));
      expect(redacted).toBe([...before, `${secretName}=${REDACTED}`, ...after].join("&"));
    }),
  );
});

describe("redacted headers", () => {
  it("are JSON of at most 16,384 bytes, or nothing", () => {
    const pairs = fc.array(
      fc.tuple(fc.constantFrom("x-a", "X-B", "cookie"), fc.string({ maxLength: 9_000, unit: "binary" })),
    );
    fc.assert(
      fc.property(pairs, (headers) => {
        const text = redactHeaders(headers, new Set(["cookie"]), new Secrets([]));
        if (text === undefined) return expect(JSON.stringify(headers).length).toBeGreaterThan(4_000);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
        const parsed = JSON.parse(text);
        expect(Object.keys(parsed).every((name) => name === "x-a" || name === "x-b")).toBe(true);
      }),
    );
  });
});

it("a clean text has no NUL and no half of a character, and is not longer than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "\0", "\ud83d", "\ude00", "😀") }),
      fc.nat(10),
      (text, lengthMax) => {
        const clean = cleanText(text, lengthMax);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toContain("\0");
        expect(clean.length).toBeLessThanOrEqual(lengthMax);
      },
    ),
  );
});
