import { formatCount } from "../lib/format-count.ts";
import { type Row, renderTable } from "../lib/render-table.ts";
import type { Expectation } from "./expectation.ts";
import type { Traffic } from "./load-traffic.ts";
import { addCodes, type CodeCounts, type Outcome, sumOf } from "./outcome.ts";

const UNPARSED_LINES_SHOWN = 3;
const DIFFERENCES_SHOWN = 10;
const SHOWN_CHARACTERS = 80;
/** Shown even when no request was refused with them. */
const USUAL_DENIALS = ["USAGE_EXCEEDED", "NOT_FOUND"];

/** Says where the traffic is from, and which of its lines could not be read. */
export function describeTraffic({ origin, entries, unparsedLines }: Traffic): string[] {
  const requests = `${formatCount(entries.length)} requests`;
  const source =
    origin.seed === undefined
      ? `Access log: ${origin.path}, ${requests}`
      : `Access log: there is no ${origin.path}; generated ${requests} of the same shape with seed ${origin.seed}`;
  const shown = unparsedLines.slice(0, UNPARSED_LINES_SHOWN);
  const cutOff = entries.filter(({ isCutOff }) => isCutOff).map(({ lineNumber }) => lineNumber);
  return [
    source,
    ...(cutOff.length > 0
      ? [
          `Lines cut off inside the user agent, replayed all the same: ${formatCount(cutOff.length)} (first: ${cutOff[0]})`,
        ]
      : []),
    `Lines that could not be read as combined log format: ${formatCount(unparsedLines.length)}`,
    ...shown.map(({ lineNumber, text }) => `  line ${lineNumber}: ${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))}`),
  ];
}

/** Says what the log implies, before anything is replayed. */
export function describeExpectation({ consumers, otherClients, otherRequests }: Expectation): string[] {
  const requests = sumOf(consumers.map((consumer) => consumer.requests));
  const credits = sumOf(consumers.map((consumer) => consumer.poolCredits));
  return [
    `The ${consumers.length} busiest clients become consumers with one key each: ` +
      `${formatCount(requests)} requests on ${formatCount(credits)} credits.`,
    `The ${formatCount(otherClients)} other clients have no key here; their ${formatCount(otherRequests)} requests come ` +
      "with made-up keys,",
    "so the log implies NOT_FOUND for each of them.",
  ];
}

/** The table: a row per consumer, one for all other clients, and the sums. */
export function describeOutcome(expectation: Expectation, { consumers, otherCodes }: Outcome): string[] {
  const total = addCodes([...consumers.map(({ codes }) => codes), otherCodes]);
  const denials = [...new Set([...USUAL_DENIALS, ...total.keys()])].filter((code) => code !== "VALID");
  const row = (label: string, credits: number | "", codes: CodeCounts, left: number | ""): Row => [
    label,
    sumOf([...codes.values()]),
    credits,
    ...["VALID", ...denials].map((code) => codes.get(code) ?? 0),
    left,
  ];
  const pools = new Map(expectation.consumers.map(({ clientAddress, poolCredits }) => [clientAddress, poolCredits]));
  const rows = consumers.map(({ clientAddress, codes, creditsLeft }) => {
    return row(clientAddress, pools.get(clientAddress) ?? 0, codes, creditsLeft);
  });
  const others = row(`${formatCount(expectation.otherClients)} other clients`, "", otherCodes, "");
  const creditsLeft = sumOf(consumers.map((consumer) => consumer.creditsLeft));
  const totals = row("total", sumOf([...pools.values()]), total, creditsLeft);
  return renderTable(["consumer", "requests", "credits", "granted", ...denials, "left"], rows, [others, totals]);
}

/** The last lines: the sums, the speed, and whether they agree with the log. */
export function describeVerdict(outcome: Outcome, differences: readonly string[], elapsedMs: number): string[] {
  const total = addCodes([...outcome.consumers.map(({ codes }) => codes), outcome.otherCodes]);
  const requests = sumOf([...total.values()]);
  const denied = [...total].filter(([code]) => code !== "VALID").sort(([, count], [, other]) => count - other);
  const denials = denied.map(([code, count]) => `${formatCount(count)} ${code}`).join(" + ");
  const perSecond = elapsedMs > 0 ? Math.round((requests / elapsedMs) * 1_000) : 0;
  const sums = [
    `Total: ${formatCount(requests)} requests = ${formatCount(total.get("VALID") ?? 0)} granted + ${denials || "0 denied"}`,
    `Speed: ${(elapsedMs / 1_000).toFixed(1)} s, ${formatCount(perSecond)} requests/s, ` +
      "caller and service sharing one process",
  ];
  return [...sums, ...describeAgreement("Agrees to the unit with what the log implies.", differences)];
}

/** Says that all agrees, or where it does not. */
export function describeAgreement(agreed: string, differences: readonly string[]): string[] {
  if (differences.length === 0) return [agreed];
  const more = differences.length - DIFFERENCES_SHOWN;
  return [
    `DIFFERS from what the log implies, in ${formatCount(differences.length)} places:`,
    ...differences.slice(0, DIFFERENCES_SHOWN).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
  ];
}
