import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withRelease } from "./changelog.ts";

const BEFORE =
  "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One thing, for $& and $1.\n\n## [0.1.0] - 2026-11-21\n\n- All.\n";

describe("a release in the changelog", () => {
  it("takes what is not released, under its date, and leaves the rest", () => {
    expect(withRelease(BEFORE, "0.2.0", "2026-12-24")).toBe(
      BEFORE.replace("[Unreleased]\n", "[Unreleased]\n\n## [0.2.0] - 2026-12-24\n"),
    );
  });

  it("is refused when there is nothing to release, or nowhere to put it, or it is there", () => {
    expect(() => withRelease(BEFORE, "0.1.0", "2026-12-24")).toThrow("has 0.1.0 already");
    expect(() => withRelease(BEFORE.replace("- One", "One"), "0.2.0", "2026-12-24")).toThrow("nothing under");
    expect(() => withRelease("# Changelog\n", "0.2.0", "2026-12-24")).toThrow("no line ## [Unreleased]");
  });

  it("finds its place in the changelog of this repository", () => {
    const file = new URL("../CHANGELOG.md", import.meta.url);
    expect(
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === "## [Unreleased]"),
    ).toHaveLength(1);
  });
});
