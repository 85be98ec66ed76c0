import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openGuideReader } from "../harness/guide-reader.ts";
import { installedGo } from "../harness/installed-go.ts";
import { readGuide, type Step } from "../harness/read-guide.ts";
import { freshDatabaseUri } from "../harness/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GUIDES = readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`);
const PAGES = ["README.md", ...GUIDES];
/** Those that are followed with the database that the service brings, as on an empty machine; the others are faster. */
const WITH_EMBEDDED_DATABASE = ["docs/guides/quickstart.md", "docs/guides/operating.md"];
/** Commands that are not run here, each with where it is. */
const RUN_ELSEWHERE: Record<string, string> = {
  "npm ci && npm test": "it would run these tests again",
  "npm run demo": "test/integration/demo",
  "npm run seed -- --consumers 100000": "test/integration/seed.test.ts, with fewer consumers",
};
const GUIDE_TIMEOUT_MS = 240_000;
const START: Step = { kind: "start", line: 0, name: "service", command: "npm start", expected: "keysvc listens on …" };

const stepsOf = (page: string): Step[] => readGuide(readFileSync(join(ROOT, page), "utf8"));
const commandOf = (step: Step): string => ("command" in step ? step.command.trim() : "");

/**
 * Windows of an hour and of half an hour, which guides show, must not end while they are shown: a reader would understand,
 * the comparison would not.
 */
async function awayFromBoundaries(): Promise<void> {
  const HALF_HOUR_MS = 1_800_000;
  const leftMs = HALF_HOUR_MS - (Date.now() % HALF_HOUR_MS);
  if (leftMs < 60_000) await sleep(leftMs);
}

/** What a reader does, one step after the other. A guide that does not begin with the service finds it running. */
async function follow(page: string): Promise<void> {
  const steps = stepsOf(page).filter((step) => RUN_ELSEWHERE[commandOf(step)] === undefined);
  const database = { KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_SECRET: "master-secret-of-the-guides" };
  await awayFromBoundaries();
  const reader = await openGuideReader(WITH_EMBEDDED_DATABASE.includes(page) ? {} : database);
  try {
    for (const step of steps[0]?.kind === "start" ? steps : [START, ...steps]) {
      await reader.follow(step).catch((error: unknown) => {
        throw new Error(`${page}:${step.line}: ${commandOf(step)}\n${String(error)}`);
      });
    }
  } finally {
    await reader.close();
  }
}

const go = installedGo();
if ("missing" in go) process.stdout.write(`${go.missing}: the guide for Go is NOT followed\n`);
const needsGo = (page: string): boolean =>
  stepsOf(page).some((step) => step.kind === "write" && step.name.endsWith(".go"));

describe("who follows a guide sees what it says:", () => {
  for (const page of PAGES) {
    it.skipIf("missing" in go && needsGo(page))(page, { timeout: GUIDE_TIMEOUT_MS }, () => follow(page));
  }

  it("what is run elsewhere is in a page", () => {
    const commands = PAGES.flatMap(stepsOf).map(commandOf);
    expect(commands).toEqual(expect.arrayContaining(Object.keys(RUN_ELSEWHERE)));
  });
});
