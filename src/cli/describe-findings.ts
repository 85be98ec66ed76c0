import type { Finding } from "../doctor/finding.ts";

const STATE_WIDTH = "problem".length;

/** Findings of the doctor as lines for people, and what they come to. */
export function describeFindings(findings: readonly Finding[]): string[] {
  const lines = findings.flatMap(({ check, state, message, remedy }) => [
    `${state.padEnd(STATE_WIDTH)}  ${check}: ${message}`,
    ...(remedy === "" ? [] : [`${" ".repeat(STATE_WIDTH)}  ${remedy}`]),
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return [...lines, "", `${count("problem")} problems, ${count("warning")} warnings`];
}
