import { isDeepStrictEqual } from "node:util";

/** What is another at every run. */
const VARYING: [pattern: RegExp, name: string][] = [
  [/\b(consumer|key|api|plan|project|req|evt|credential)_[0-9a-z]{26}\b/g, "$1_<id>"],
  [/\bsk_[A-Za-z0-9]{33}\b/g, "sk_<value>"],
  [/\bproj_[\w-]{43}/g, "proj_<value>"],
  [/\bwhsec_[\w+/]{43}=/g, "whsec_<value>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, "<time>"],
  [/\b\d{13}\b/g, "<ms>"],
  [/(;t=|^retry-after: |"retryAfterSeconds":)\d+/gm, "$1<seconds>"],
];
/** Fields whose numbers are measured, or depend on the hour. */
const MEASURED = ["avgLatencyMs", "latencyMs", "retryAfterSeconds", "tsUnix"];

/**
 * Whether a command printed what a guide says. Ids, keys and times match any of their kind, `…` matches anything on its
 * line, and on a line of its own any lines. JSON is compared as JSON, however it is broken into lines.
 */
export function matchesOutput(expected: string, printed: string): boolean {
  const documents = [parseDocuments(expected), parseDocuments(printed)] as const;
  if (documents[0] !== undefined && documents[1] !== undefined) {
    return isDeepStrictEqual(...reduced(documents[0], documents[1]));
  }
  return pattern(expected.trimEnd()).test(normalise(printed.trimEnd()));
}

/** Whether every line that a guide shows is among those that a program has printed so far, in whatever order. */
export function containsLines(expected: string, printed: string): boolean {
  const lines = normalise(printed).split("\n");
  return expected
    .trimEnd()
    .split("\n")
    .every((line) => {
      const index = lines.findIndex((candidate) => pattern(line).test(candidate));
      if (index >= 0) lines.splice(index, 1);
      return index >= 0;
    });
}

function normalise(text: string): string {
  const lines = text.replace(/[ \t\r]+$/gm, "");
  return VARYING.reduce((result, [found, name]) => result.replace(found, name), lines);
}

function pattern(expected: string): RegExp {
  const lines = normalise(expected)
    .split("\n")
    .map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const source = lines.map((line) => (line === "…" ? "[\\s\\S]*" : line.replaceAll("…", ".*"))).join("\n");
  return new RegExp(`^${source}$`);
}

/** One document, or one on each line; undefined: it is no JSON. */
function parseDocuments(text: string): unknown[] | undefined {
  const parse = (json: string): unknown => JSON.parse(json);
  try {
    return [parse(text)];
  } catch {}
  try {
    // A document of a guide begins at the margin, and goes on indented.
    return text
      .trim()
      .split(/\n(?=[{[])/)
      .map(parse);
  } catch {
    return undefined;
  }
}

/** Two values with what matches made equal. */
function reduced(expected: unknown, actual: unknown, name = ""): [unknown, unknown] {
  if (typeof expected === "string" && typeof actual === "string") {
    return pattern(expected).test(normalise(actual)) ? ["same", "same"] : [expected, actual];
  }
  if (typeof expected === "number" && typeof actual === "number") {
    const isMoment = expected > 1e12 && actual > 1e12;
    return isMoment || MEASURED.includes(name) ? ["same", "same"] : [expected, actual];
  }
  if (!isObject(expected) || !isObject(actual)) return [expected, actual];
  if (Array.isArray(expected) !== Array.isArray(actual)) return [expected, actual];
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  const pairs = names.map((key) => [key, reduced(expected[key], actual[key], key)] as const);
  return [
    Object.fromEntries(pairs.map(([key, [e]]) => [key, e])),
    Object.fromEntries(pairs.map(([key, [, a]]) => [key, a])),
  ];
}

/** Arrays are among them: their elements are named by their places. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
