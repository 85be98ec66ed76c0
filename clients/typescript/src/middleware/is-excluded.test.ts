import fc from "fast-check";
import { expect, it } from "vitest";
import { splitTarget } from "./incoming-call.ts";
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

it("a whole URL is excluded by its path, and not at all without one, which routers read in different ways", () => {
  const isTargetExcluded = (target: string) => isExcluded(splitTarget(target).path, ["/", "/public/*"]);
  expect(["http://x/", "http://x/?a=/b", "https://x/public/y", "/?/admin"].filter(isTargetExcluded).length).toBe(4);
  const others = ["http://x", "http://x?/public/y", "http://x?/", "http://x/admin", "*", "", "http://x//public/y"];
  expect(others.filter(isTargetExcluded)).toEqual([]);
});
