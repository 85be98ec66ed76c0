import { expect, it } from "vitest";
import { compareVersions, parseMongodVersion, seriesOf } from "./mongod-version.ts";

it.each([
  ['db version v6.0.5\nBuild Info: {\n    "version": "6.0.5"', "6.0.5"],
  ["db version v4.2.19-11-ge2f2736", "4.2.19"],
  ["WARNING: something first\ndb version v8.2.6\n", "8.2.6"],
])("the version is read from %j", (output, version) => {
  expect(parseMongodVersion(output)).toBe(version);
});

it("output of another program has no version", () => {
  expect(parseMongodVersion("GNU bash, version 5.2.15(1)-release")).toBeUndefined();
});

it("versions are ordered by number and not by letter", () => {
  expect(["6.0.5", "8.0.4", "6.0.19", "10.0.0"].sort(compareVersions)).toEqual(["6.0.5", "6.0.19", "8.0.4", "10.0.0"]);
});

it("a release series is the first two numbers", () => {
  expect(seriesOf("6.0.19")).toBe("6.0");
});
