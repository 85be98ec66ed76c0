import { compareCount, compareCounts } from "./compare-counts.ts";
import type { Expectation } from "./expectation.ts";

/** How often each code was answered. */
export type CodeCounts = ReadonlyMap<string, number>;

/** What the service did for one consumer. */
export interface ConsumerOutcome {
  clientAddress: string;
  /** Of the answers to /key/validate. */
  codes: CodeCounts;
  /** What /consumer/details says after the replay. */
  creditsUsed: number;
  creditsLeft: number;
}

export interface Outcome {
  /** In the order of the expectation. */
  consumers: ConsumerOutcome[];
  /** Codes of the requests of all other clients. */
  otherCodes: CodeCounts;
}

/**
 * Compares what the service did with what the log implies, to the unit.
 *
 * @returns a line for each difference; empty when all agrees
 */
export function findDifferences(expected: Expectation, outcome: Outcome): string[] {
  const outcomes = new Map(outcome.consumers.map((consumer) => [consumer.clientAddress, consumer]));
  const ofConsumers = expected.consumers.flatMap((consumer) => {
    const { clientAddress, granted, usageExceeded, creditsLeft } = consumer;
    const actual = outcomes.get(clientAddress);
    if (actual === undefined) {
      return [`${clientAddress}: there is no such consumer, the log implies ${consumer.requests} requests of it`];
    }
    return [
      ...compareCounts(
        clientAddress,
        actual.codes,
        new Map(Object.entries({ VALID: granted, USAGE_EXCEEDED: usageExceeded })),
      ),
      ...compareCount(`${clientAddress}: credits used`, actual.creditsUsed, granted),
      ...compareCount(`${clientAddress}: credits left`, actual.creditsLeft, creditsLeft),
    ];
  });
  const answers = [...outcome.consumers.map(({ codes }) => codes), outcome.otherCodes];
  return [
    ...ofConsumers,
    ...compareCounts(
      "other clients",
      outcome.otherCodes,
      new Map(Object.entries({ NOT_FOUND: expected.otherRequests })),
    ),
    ...compareCount("all answers", sumOf(answers.flatMap((codes) => [...codes.values()])), expected.requests),
  ];
}

/** Adds up the counts of several, by code. */
export function addCodes(parts: readonly CodeCounts[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const part of parts) for (const [code, count] of part) total.set(code, (total.get(code) ?? 0) + count);
  return total;
}

/** The sum of a list, 0 for an empty one. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
