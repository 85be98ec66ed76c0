import { expect, it } from "vitest";
import { type AccessLogEntry, parseAccessLogLine } from "./access-log.ts";
import { CONSUMERS_MAX, expectationOf } from "./expectation.ts";
import { findDifferences, type Outcome } from "./outcome.ts";
import { describeOutcome, describeVerdict } from "./report.ts";

/** So many requests of each client, one client after the other. */
function requestsOf(sizes: Readonly<Record<string, number>>): AccessLogEntry[] {
  return Object.entries(sizes).flatMap(([address, size]) => {
    const entry = parseAccessLogLine(`${address} - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1 "-" "-"`, 1);
    if (entry === undefined) throw new Error("the line is not in the format");
    return Array.from({ length: size }, () => entry);
  });
}

const SIZES = { a: 10, b: 1, ...Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`c${10 + index}`, 4])) };
const expected = expectationOf(requestsOf(SIZES));

/** What an honest service does. */
function honestOutcome(): Outcome {
  const consumers = expected.consumers.map(({ clientAddress, granted, usageExceeded, creditsLeft }) => ({
    clientAddress,
    codes: new Map([
      ["VALID", granted],
      ["USAGE_EXCEEDED", usageExceeded],
    ]),
    creditsUsed: granted,
    creditsLeft,
  }));
  return { consumers, otherCodes: new Map([["NOT_FOUND", expected.otherRequests]]) };
}

it("the busiest clients become consumers with four fifths of their traffic, and at least one credit", () => {
  expect(expected).toMatchObject({ otherClients: 1, otherRequests: 1, requests: 207 });
  expect(expected.consumers).toHaveLength(CONSUMERS_MAX);
  expect(expected.consumers[0]).toEqual({
    ...{ clientAddress: "a", requests: 10, poolCredits: 8, granted: 8, usageExceeded: 2, creditsLeft: 0 },
  });
  expect(expectationOf(requestsOf({ once: 1 })).consumers[0]).toMatchObject({ poolCredits: 1, usageExceeded: 0 });
});

it("clients that are equally busy are ranked by address, in whatever order they come", () => {
  const sizes = Array.from({ length: 60 }, (_, index): [string, number] => [`c${10 + index}`, 2]);
  const addresses = expectationOf(requestsOf(Object.fromEntries(sizes.reverse()))).consumers.map(
    ({ clientAddress }) => clientAddress,
  );
  expect(addresses).toEqual(Array.from({ length: 50 }, (_, index) => `c${10 + index}`));
});

it("an outcome as the log implies has no differences", () => {
  expect(findDifferences(expected, honestOutcome())).toEqual([]);
  expect(describeVerdict(honestOutcome(), [], 1_000).at(-1)).toBe("Agrees to the unit with what the log implies.");
});

it.each<[string, (outcome: Outcome) => void, string[]]>([
  [
    "one grant too many",
    ({ consumers: [first] }) =>
      Object.assign(first ?? {}, { codes: new Map(Object.entries({ VALID: 9, USAGE_EXCEEDED: 1 })) }),
    ["a: VALID is 9, the log implies 8", "a: USAGE_EXCEEDED is 1, the log implies 2"],
  ],
  [
    "a credit that was not charged",
    ({ consumers: [first] }) => Object.assign(first ?? {}, { creditsUsed: 7, creditsLeft: 1 }),
    ["a: credits used is 7, the log implies 8", "a: credits left is 1, the log implies 0"],
  ],
  [
    "a code that nothing implies",
    (outcome) => Object.assign(outcome, { otherCodes: new Map([["VALID", 1]]) }),
    ["other clients: NOT_FOUND is 0, the log implies 1", "other clients: VALID is 1, the log implies 0"],
  ],
  [
    "an answer that is missing",
    (outcome) => Object.assign(outcome, { otherCodes: new Map() }),
    ["other clients: NOT_FOUND is 0, the log implies 1", "all answers is 206, the log implies 207"],
  ],
  [
    "a consumer that is missing",
    (outcome) => outcome.consumers.shift(),
    ["a: there is no such consumer, the log implies 10 requests of it", "all answers is 197, the log implies 207"],
  ],
])("%s is a difference", (_title, doctor, differences) => {
  const outcome = honestOutcome();
  doctor(outcome);
  expect(findDifferences(expected, outcome)).toEqual(differences);
  expect(describeVerdict(outcome, differences, 1_000)).toContain(`  ${differences[0]}`);
});

it("the table fits 100 columns with the longest addresses, and sums its rows", () => {
  const address = "2001:0db8:1111:2222:3333:4444:5555:6666";
  const outcome: Outcome = {
    consumers: [{ clientAddress: address, codes: new Map([["VALID", 4_000]]), creditsUsed: 4_000, creditsLeft: 5 }],
    otherCodes: new Map([["NOT_FOUND", 6_000]]),
  };
  const lines = describeOutcome({ consumers: [], otherClients: 7, otherRequests: 0, requests: 0 }, outcome);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines.at(-1)?.split(/\s+/)).toEqual(["total", "10,000", "0", "4,000", "0", "6,000", "5"]);
});
