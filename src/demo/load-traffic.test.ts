import { expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { formatCount } from "../lib/format-count.ts";
import { parseAccessLog } from "./access-log.ts";
import { generateAccessLog } from "./generate-access-log.ts";
import { DEFAULT_SEED, loadTraffic, type Traffic } from "./load-traffic.ts";

const { KEYSVC_ACCESS_LOG_DIR } = process.env;
const { accessLogDir } = readConfig({ KEYSVC_ACCESS_LOG_DIR });
const configured = await loadTraffic(accessLogDir);
const generated = await loadTraffic("/nonexistent");

/** How often each value occurs, most often first. */
function countBy<Value>(values: readonly Value[]): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return new Map([...counts].sort(([, one], [, other]) => other - one));
}

// Where the log is absent, the first is generated like the second, and promises the same.
it.each<[string, Traffic]>([
  [`traffic of the configured folder, ${configured.origin.seed === undefined ? "read" : "generated"}`, configured],
  ["traffic that is generated where there is no log", generated],
])("%s has 10,000 requests and the counts of the real log", (_title, { entries, unparsedLines }) => {
  expect(unparsedLines).toEqual([]);
  expect(entries).toHaveLength(10_000);
  expect(Object.fromEntries(countBy(entries.map(({ statusCode }) => statusCode)))).toEqual({
    ...{ 200: 9_126, 304: 445, 404: 213, 301: 164, 206: 45, 500: 3, 416: 2, 403: 2 },
  });
  expect(Object.fromEntries(countBy(entries.map(({ method }) => method)))).toEqual({
    ...{ GET: 9_952, HEAD: 42, POST: 5, OPTIONS: 1 },
  });
  const [busiest] = countBy(entries.map(({ clientAddress }) => clientAddress));
  expect(busiest).toEqual([
    configured.entries === entries && isRead(configured) ? "66.249.73.135" : expect.any(String),
    482,
  ]);
});

function isRead({ origin }: Traffic): boolean {
  return origin.seed === undefined;
}

it("generated traffic names its seed and the file that is absent", () => {
  expect(generated.origin).toEqual({ path: "/nonexistent/apache_logs", seed: DEFAULT_SEED });
});

it("the same seed generates the same log, another seed another one", () => {
  expect(generateAccessLog(7)).toBe(generateAccessLog(7));
  expect(generateAccessLog(7)).not.toBe(generateAccessLog(8));
});

it.each([1, 2, 3, DEFAULT_SEED])("seed %i spreads the requests over clients as the real log does", (seed) => {
  const { entries } = parseAccessLog(generateAccessLog(seed));
  const sizes = [...countBy(entries.map(({ clientAddress }) => clientAddress)).values()];
  const busiest50 = sizes.slice(0, 50).reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(1_600);
  expect(sizes.length).toBeLessThan(1_900);
  expect(sizes[0]).toBe(482);
  // 3,656 in the real log.
  expect(busiest50, formatCount(busiest50)).toBeGreaterThan(3_400);
  expect(busiest50, formatCount(busiest50)).toBeLessThan(3_900);
  expect(sizes.filter((size) => size === 1).length / sizes.length).toBeGreaterThan(0.33);
  expect(entries.some(({ clientAddress }) => clientAddress.includes(":"))).toBe(true);
  expect(entries.some(({ userAgent }) => userAgent === null)).toBe(true);
  const times = entries.map(({ timeMs }) => timeMs);
  expect(times).toEqual([...times].sort((one, other) => one - other));
});
