import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { generateAccessLog } from "../../../src/demo/generate-access-log.ts";
import { loadTraffic } from "../../../src/demo/load-traffic.ts";

const TIMEOUT_MS = 120_000;
const ANALYTICS_AGREE = "The analytics agree to the unit with a count of the log, and with the verdicts";

let temporaryDir: string;
beforeEach(async () => {
  temporaryDir = await mkdtemp(join(tmpdir(), "keysvc-demo-test-"));
});
afterEach(() => rm(temporaryDir, { recursive: true, force: true }));

/** Runs the demo with a folder for its temporary data that the test can look into. */
function startDemo(settings: Record<string, string>) {
  const child = spawn(process.execPath, ["src/demo/demo.ts"], {
    env: { ...process.env, TMPDIR: temporaryDir, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return { child, output, ended: once(child, "close").then(([exitCode]) => ({ exitCode, ...output })) };
}

/** Runs the demo on a log of its own. */
async function replayLog(lines: readonly string[]) {
  const logDir = await mkdtemp(join(tmpdir(), "keysvc-demo-log-"));
  try {
    await writeFile(join(logDir, "apache_logs"), lines.join("\n"));
    return await startDemo({ KEYSVC_ACCESS_LOG_DIR: logDir }).ended;
  } finally {
    await rm(logDir, { recursive: true, force: true });
  }
}

/** A line of a log, of a request and its status. */
function lineOf(request: string): string {
  return `192.0.2.7 - - [20/May/2015:21:05:00 +0000] ${request} 1 "-" "-"`;
}

/** The requests of each bar of the chart. */
function pointsOf(stdout: string): number[] {
  const bars = stdout.matchAll(/^\d{4}-\d\d-\d\d \d\d:\d\d +([\d,]+) /gm);
  return [...bars].map(([, requests = ""]) => Number(requests.replaceAll(",", "")));
}

it("the demo replays the log of the configured folder and agrees with it to the unit", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { KEYSVC_ACCESS_LOG_DIR } = process.env;
  const { origin } = await loadTraffic(readConfig({ KEYSVC_ACCESS_LOG_DIR }).accessLogDir);
  const { exitCode, stdout, stderr } = await startDemo({}).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("100 %  10,000 of 10,000");
  expect(stdout).toContain("Agrees to the unit with what the log implies.");
  expect(stdout).toContain("10,000 accepted, 0 duplicates, 0 rejected");
  // Generated logs have the same methods and statuses.
  expect(stdout).toContain(
    "api_traffic: 10,000 requests, 2.2 % errors\n  by method: 9,952 GET, 42 HEAD, 5 POST, 1 OPTIONS\n",
  );
  expect(stdout).toContain("by status: 9,126 of 200, 445 of 304, 213 of 404, 164 of 301, 45 of 206, 3 of 500");
  expect(pointsOf(stdout).reduce((sum, requests) => sum + requests, 0)).toBe(10_000);
  expect(stdout).toContain(ANALYTICS_AGREE);
  if (origin.seed === undefined) {
    expect(stdout).toMatch(/^\/favicon\.ico +807 +8\.1 % +#{32}$/m);
    expect(stdout).toMatch(/^NOT_FOUND +6,344 +63\.4 % .*\nVALID +2,906 +29\.1 % .*\nUSAGE_EXCEEDED +750 +7\.5 % /m);
    expect(stdout).toContain("Total: 10,000 requests = 2,906 granted + 750 USAGE_EXCEEDED + 6,344 NOT_FOUND\n");
    expect(stdout).toMatch(/^66\.249\.73\.135 +482 +385 +385 +97 +0 +0$/m);
  } else expect(stdout).toContain(`with seed ${origin.seed}\n`);
  expect(await readdir(temporaryDir)).toEqual([]);
});

it("where there is no log the demo generates one, says so and agrees with it", { timeout: TIMEOUT_MS }, async () => {
  const { exitCode, stdout, stderr } = await startDemo({ KEYSVC_ACCESS_LOG_DIR: "/nonexistent" }).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/there is no \/nonexistent\/apache_logs; generated 10,000 requests .* with seed \d+\n/);
  expect(stdout).toMatch(/^Total: 10,000 requests = [\d,]+ granted \+ \d+ USAGE_EXCEEDED \+ [\d,]+ NOT_FOUND$/m);
  expect(stdout).toContain("Agrees to the unit with what the log implies.");
  expect(stdout).toContain(ANALYTICS_AGREE);
});

it("lines that cannot be read are counted and shown, and the others replayed", { timeout: TIMEOUT_MS }, async () => {
  const lines = generateAccessLog(1).split("\n").slice(0, 200);
  const { exitCode, stdout } = await replayLog(["no log line", lineOf('"-" 408'), ...lines]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('combined log format: 1\n  line 1: "no log line"\n');
  expect(stdout).toContain("Total: 201 requests = ");
  expect(stdout).toContain(ANALYTICS_AGREE);
});

it("a request that is not recorded is said, and ends the demo with 1", { timeout: TIMEOUT_MS }, async () => {
  const { exitCode, stdout } = await replayLog([lineOf('"GET /a HTTP/1.1" 200'), lineOf('"GET /b HTTP/1.1" 999')]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("Agrees to the unit with what the log implies.");
  expect(stdout).toContain("1 accepted, 0 duplicates, 1 rejected");
  expect(stdout).toMatch(/^DIFFERS from what the log implies, in \d+ places:\n {2}events accepted is 1, /m);
  expect(stdout).toMatch(/^ {2}log_\w+_2 was rejected: statusCode: must be from 100 to 599$/m);
  expect(stdout).not.toContain(ANALYTICS_AGREE);
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s, even twice, stops the demo and removes its data", { timeout: TIMEOUT_MS }, async (signal, code) => {
  const { child, output, ended } = startDemo({});
  while (!output.stdout.includes("10 %") && child.exitCode === null) {
    await Promise.race([once(child.stdout, "data"), ended]);
  }
  child.kill(signal);
  child.kill(signal);
  const { exitCode, stdout, stderr } = await ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: `demo: stopped by ${signal}\n` });
  expect(stdout).not.toContain("Agrees");
  expect(await readdir(temporaryDir)).toEqual([]);
});

it("a reader that goes away ends the demo quietly, and its data is removed", { timeout: TIMEOUT_MS }, async () => {
  const { child, ended } = startDemo({});
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toMatchObject({ exitCode: 141, stderr: "" });
  expect(await readdir(temporaryDir)).toEqual([]);
});

it("a service that cannot start ends the demo with its reason", { timeout: TIMEOUT_MS }, async () => {
  const { exitCode, stderr } = await startDemo({ KEYSVC_MONGOD: "/nonexistent/mongod" }).ended;
  expect(exitCode).toBe(1);
  expect(stderr).toContain("/nonexistent/mongod");
  expect(await readdir(temporaryDir)).toEqual([]);
});
