import fc from "fast-check";
import { expect, it } from "vitest";
import { isExcluded } from "./is-excluded.ts";

const segment = fc.constantFrom(
  "public",
  "admin",
  ".",
  "..",
  "",
  "%2e",
  "%2E%2e",
  "..%2f",
  "%5c",
  "\\",
  "%252e",
  "a%20b",
  "café",
  "%",
);

it("a path that is excluded by a prefix stays below it, however a URL is resolved", () => {
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const path = `/public/${segments.join("/")}`;
      if (!isExcluded(path, ["/public/*"])) return;
      expect(new URL(path, "http://host").pathname).toMatch(/^\/public\//);
      // Nor does a router see something else that decodes once more.
      expect(new URL(decodeURIComponent(path), "http://host").pathname).toMatch(/^\/public\//);
    }),
    { numRuns: 2_000 },
  );
});

it("nothing is excluded without a pattern", () => {
  expect(isExcluded("/", [])).toBe(false);
});
