/**
 * Writes middleware.json from the tables beside it: `node test/vectors/write-middleware.ts`. A test compares the two.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BODY_CASES } from "./middleware/bodies.ts";
import { BYPASSES } from "./middleware/bypasses.ts";
import { CAPTURES } from "./middleware/captures.ts";
import { CONFIGURATIONS } from "./middleware/configurations.ts";
import { COSTS } from "./middleware/costs.ts";
import { EVENTS } from "./middleware/events.ts";
import { FAILURE_CASES } from "./middleware/failures.ts";
import { KEYS } from "./middleware/keys.ts";
import { LABELS } from "./middleware/labels.ts";
import { MANY_KEYS } from "./middleware/many-keys.ts";
import { MODES } from "./middleware/modes.ts";
import { REDACTION } from "./middleware/redaction.ts";
import { VERDICT_CASES } from "./middleware/verdicts.ts";

export const MIDDLEWARE_FILE = join(import.meta.dirname, "middleware.json");

export const CASES = [
  ...[BYPASSES, KEYS, COSTS, VERDICT_CASES, MODES, FAILURE_CASES],
  ...[EVENTS, LABELS, REDACTION, MANY_KEYS, CAPTURES, BODY_CASES],
].flat();

const DESCRIPTION =
  "What every adapter of the middleware does, by docs/middleware.md. Written by write-middleware.ts; README.md says how it is run.";

/** The text of middleware.json: a line for each case, so that a change shows what it changes. */
export function middlewareJson(): string {
  const lines = (cases: object[]) => cases.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n");
  return `{
  "description": ${JSON.stringify(DESCRIPTION)},
  "cases": [
${lines(CASES)}
  ],
  "configurations": [
${lines(CONFIGURATIONS)}
  ]
}
`;
}

if (import.meta.main) writeFileSync(MIDDLEWARE_FILE, middlewareJson());
