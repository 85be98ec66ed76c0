import { expect, it } from "vitest";
import lock from "../../package-lock.json" with { type: "json" };

/** What may be used and passed on with a service under Apache-2.0, without any duty but to name it. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "(Apache-2.0 AND BSD-3-Clause)"];

interface Locked {
  dev?: boolean;
  license?: string;
}

it("every package that a service is installed with has a licence of the list", () => {
  // Each entry is a package, of which these are read.
  const packages = Object.entries(lock.packages as Record<string, Locked>).filter(([, { dev }]) => dev !== true);
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(([, { license }]) => !ALLOWED.includes(license ?? ""));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
