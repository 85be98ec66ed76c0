/**
 * `npm run test:go`: format, vet, staticcheck, known vulnerabilities, the promises of go.mod, and the tests of clients/go
 * with race detection, by the Go that is installed and by the lowest that is supported. Shows the output of what failed, and
 * ends with 1 then. On a machine without Go it says so, and ends with 0.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installedGo } from "./harness/installed-go.ts";

const MODULE = join(import.meta.dirname, "../clients/go");
/** The last patch of the lowest line that is supported: what CI tests is what users of that line are told to run. */
const LOWEST = "go1.25.14";
const GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.8.0";
const STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/** What a step found wrong; empty when nothing is. */
type Step = [title: string, run: () => string];

/** Runs Go in the module. */
function go(args: string[], environment: Record<string, string> = {}): { ok: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync("go", args, {
    cwd: MODULE,
    env: { ...process.env, ...environment },
    encoding: "utf8",
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return { ok: status === 0, output: error ? error.message : stdout + stderr };
}

/** What a command says when it fails. */
function faultOf(args: string[], environment?: Record<string, string>): string {
  const { ok, output } = go(args, environment);
  return ok ? "" : output || `go ${args.join(" ")} failed without a word`;
}

function unformatted(): string {
  const { stdout, error } = spawnSync("gofmt", ["-l", "."], { cwd: MODULE, encoding: "utf8" });
  return error ? error.message : stdout;
}

/** What users were promised of go.mod: a line that is raised unseen shuts those of an older Go out. */
function promisesOfModule(): string {
  const lines = readFileSync(join(MODULE, "go.mod"), "utf8").split("\n");
  const goLine = lines.find((line) => line.startsWith("go "));
  return [
    goLine === "go 1.25.0" ? "" : `go.mod says ${goLine}, not go 1.25.0`,
    ...lines.filter((line) => /^(toolchain|replace)\b/.test(line)).map((line) => `go.mod has "${line}"`),
  ]
    .filter(Boolean)
    .join("\n");
}

/** Imports of the root package, near and far, that are neither of the standard library nor of the module. */
function foreignImports(): string {
  const format = "{{if not .Standard}}{{.ImportPath}}{{end}}";
  const { ok, output } = go(["list", "-deps", "-f", format, "."]);
  if (!ok) return output;
  const foreign = output.split("\n").filter((path) => path !== "" && !path.startsWith("github.com/keysvc/keysvc-go"));
  return foreign.length === 0 ? "" : `the root package imports ${foreign.join(", ")}`;
}

/** Vulnerabilities that the module calls, its frameworks included. */
function vulnerabilities(): string {
  return faultOf(["run", GOVULNCHECK, "./..."], { GOTOOLCHAIN: "auto" });
}

/** Whether they can be looked for; says so where the tool cannot be had, or its database cannot be reached. */
function knowsVulnerabilities(): boolean {
  const { ok, output } = go(["run", GOVULNCHECK, "-version"], { GOTOOLCHAIN: "auto" });
  const isKnown = ok && output.includes("DB updated:");
  if (!isKnown)
    process.stdout.write(`== Go: known vulnerabilities are NOT looked for, their database is out of reach\n`);
  return isKnown;
}

/** The tests by a toolchain, with race detection where there is a C compiler, which it needs. */
function testsBy(toolchain: string): string {
  const race = go(["env", "CGO_ENABLED"]).output.trim() === "1" ? ["-race"] : [];
  return faultOf(["test", ...race, "./..."], { GOTOOLCHAIN: toolchain });
}

/** Runs a step and says how it went. */
function passed([title, step]: Step): boolean {
  const start = performance.now();
  const fault = step();
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`== Go: ${title}: ${fault === "" ? "ok" : "FAILED"}, ${seconds} s\n${fault}`);
  return fault === "";
}

function stepsFor(version: string): Step[] {
  const steps: Step[] = [
    ["gofmt", unformatted],
    ["go.mod", promisesOfModule],
    ["the root package imports the standard library alone", foreignImports],
    ["go vet", () => faultOf(["vet", "./..."])],
    // It may need a newer Go than the module does, which only the tool is built with.
    ["staticcheck", () => faultOf(["run", STATICCHECK, "./..."], { GOTOOLCHAIN: "auto" })],
    ...(knowsVulnerabilities() ? [["govulncheck", vulnerabilities] satisfies Step] : []),
    [`tests by ${version}`, () => testsBy("local")],
  ];
  if (go(["version"], { GOTOOLCHAIN: LOWEST }).ok) return [...steps, [`tests by ${LOWEST}`, () => testsBy(LOWEST)]];
  process.stdout.write(`== Go: ${LOWEST} cannot be had here: the tests run by ${version} alone\n`);
  return steps;
}

const installed = installedGo();
if ("missing" in installed) {
  process.stdout.write(`== Go: ${installed.missing}: the suites of clients/go are NOT run\n`);
} else {
  const failed = stepsFor(installed.version).filter((step) => !passed(step));
  process.exitCode = failed.length === 0 ? 0 : 1;
}
