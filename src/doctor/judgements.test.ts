import { describe, expect, it } from "vitest";
import { judgeSkew, judgeVersion } from "./check-database.ts";
import { checkNode, judgeDisk, judgeOpenFiles } from "./check-host.ts";

describe("what the doctor makes of", () => {
  it.each([
    ["18.20.8", "problem"],
    ["20.18.3", "problem"],
    ["20.19.0", "warning"],
    ["22.5.0", "warning"],
    ["24.0.0", "ok"],
    ["26.1.0", "ok"],
  ])("Node %s: %s", (version, state) => expect(checkNode(version).state).toBe(state));

  it.each([
    [0.9e9, 1e12, "problem"],
    [5e9, 1e12, "warning"],
    [5e9, 2e10, "ok"],
    [2e11, 1e12, "ok"],
  ])("%d bytes free of %d: %s", (free, total, state) => expect(judgeDisk("disk", free, total).state).toBe(state));

  it.each([
    [256, "problem"],
    [1_024, "warning"],
    [65_536, "ok"],
    [Number.POSITIVE_INFINITY, "ok"],
  ])("%d open files: %s", (limit, state) => expect(judgeOpenFiles(limit).state).toBe(state));

  it.each([
    ["4.4.29", false, "problem"],
    ["5.0.31", true, "problem"],
    ["6.0.5", false, "warning"],
    ["6.0.5", true, "ok"],
    ["8.0.4", false, "ok"],
  ])("MongoDB %s, embedded %s: %s", (version, isEmbedded, state) => {
    expect(judgeVersion(version, isEmbedded).state).toBe(state);
  });

  it.each([
    [1_000, "ok"],
    [-3_000, "warning"],
    [90_000, "problem"],
    [-90_000, "problem"],
  ])("clocks %d ms apart: %s", (skewMs, state) => expect(judgeSkew(skewMs).state).toBe(state));
});
