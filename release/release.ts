/**
 * `npm run release -- X.Y.Z`: says what a release would do, and whether everything holds that it needs. With `--write` it does
 * it: version, changelog, generated files, the image that later changes are compared with, a commit and its tags, and in
 * `.release` the package and the bill of its materials. Nothing leaves the machine: what to push and publish is shown.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withRelease } from "./changelog.ts";
import { isAfter } from "./version.ts";

const ROOT = resolve(import.meta.dirname, "..");
const ARTEFACTS = join(ROOT, ".release");
const CHANGELOG = join(ROOT, "CHANGELOG.md");

const say = (line: string) => process.stdout.write(`${line}\n`);

/** What a command prints. Throws when it fails. */
function output(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** Shows a command, and what it prints. Throws when it fails. */
function run(command: string, ...args: string[]): void {
  say(`== ${command} ${args.join(" ")}`);
  execFileSync(command, args, { cwd: ROOT, stdio: "inherit" });
}

/** Throws what forbids the release, all at once. */
function checkPreconditions(version: string, tags: readonly string[]): void {
  const released = output("git", "tag", "--list", "v*").split("\n").filter(Boolean);
  const faults = [
    !isAfter(version, "0.0.0") && `${version} is no version to release`,
    output("git", "status", "--porcelain") !== "" && "there are changes that are not committed",
    ...tags.map((tag) => output("git", "tag", "--list", tag) !== "" && `there is a tag ${tag} already`),
    ...released.map((tag) => !isAfter(version, tag.slice(1)) && `${version} does not come after ${tag}`),
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** Brings everything that has a version, or goes with one, up to date. */
function writeRelease(version: string, changelog: string): void {
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts");
  writeFileSync(CHANGELOG, changelog);
  run("npm", "run", "generate");
  run("npm", "run", "baseline");
}

function writeArtefacts(version: string): void {
  rmSync(ARTEFACTS, { recursive: true, force: true });
  mkdirSync(ARTEFACTS);
  const bill = output("npm", "sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only");
  writeFileSync(join(ARTEFACTS, `keysvc-${version}.cdx.json`), bill);
  run("npm", "pack", "--pack-destination", ARTEFACTS);
}

function tellPlan(version: string, tags: readonly string[]): void {
  say(
    `\n${version} can be released. --write runs the whole of npm test, writes and commits the version, the changelog, the`,
  );
  say(`generated files and proto/baseline.binpb, sets ${tags.join(" and ")}, and puts the package into .release.`);
}

function write(version: string, tags: readonly string[], changelog: string): void {
  writeRelease(version, changelog);
  run("git", "commit", "--all", "--message", `Release ${version}`);
  for (const tag of tags) run("git", "tag", "--annotate", tag, "--message", `keysvc ${version}`);
  writeArtefacts(version);
  say(`\nTo publish: git push --follow-tags && npm publish .release/keysvc-${version}.tgz`);
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: "boolean" } } });
  const [version = ""] = positionals;
  // The root of the module of Go is a folder, so its tags begin with it.
  const tags = [`v${version}`, `clients/go/v${version}`];
  checkPreconditions(version, tags);
  const changelog = withRelease(readFileSync(CHANGELOG, "utf8"), version, new Date().toISOString().slice(0, 10));
  run("npm", "run", "audit");
  run("npm", ...(values.write === true ? ["test"] : ["run", "check"]));
  if (values.write === true) write(version, tags, changelog);
  else tellPlan(version, tags);
}

try {
  main();
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
