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
  const lines: string[] = [];
  const compare = (subject: string, is: number, implied: number) => {
    if (is !== implied) lines.push(`${subject} is ${is}, the log implies ${implied}`);
  };
  const compareCodes = (subject: string, codes: CodeCounts, implied: Readonly<Record<string, number>>) => {
    for (const code of new Set([...Object.keys(implied), ...codes.keys()])) {
      compare(`${subject}: ${code}`, codes.get(code) ?? 0, implied[code] ?? 0);
    }
  };
  const outcomes = new Map(outcome.consumers.map((consumer) => [consumer.clientAddress, consumer]));
  for (const consumer of expected.consumers) {
    const { clientAddress, granted, usageExceeded, creditsLeft } = consumer;
    const actual = outcomes.get(clientAddress);
    if (actual === undefined) {
      lines.push(`${clientAddress}: there is no such consumer, the log implies ${consumer.requests} requests of it`);
      continue;
    }
    compareCodes(clientAddress, actual.codes, { VALID: granted, USAGE_EXCEEDED: usageExceeded });
    compare(`${clientAddress}: credits used`, actual.creditsUsed, granted);
    compare(`${clientAddress}: credits left`, actual.creditsLeft, creditsLeft);
  }
  compareCodes("other clients", outcome.otherCodes, { NOT_FOUND: expected.otherRequests });
  const answers = [...outcome.consumers.map(({ codes }) => codes), outcome.otherCodes];
  compare("all answers", sumOf(answers.flatMap((codes) => [...codes.values()])), expected.requests);
  return lines;
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
