/**
 * `npm run check`: format, lint, types, proto lint, generated files up to date, import rules, unit tests. Runs every step,
 * and ends with 1 when one of them failed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Step = [title: string, command: string, ...args: string[]];

const fresh = mkdtempSync(join(tmpdir(), "keysvc-gen-"));
const STEPS: Step[] = [
  ["format and lint", "biome", "check", "."],
  ["types", "tsc", "--noEmit", "--project", "."],
  ["types of the package, on the oldest Node", "tsc", "--noEmit", "--project", "tsconfig.build.json"],
  ["types of the TypeScript client", "tsc", "--noEmit", "--project", "clients/typescript"],
  ["imported protos", "node", "src/codegen/write-imported-protos.ts"],
  ["proto lint", "buf", "lint"],
  ["proto format", "buf", "format", "--diff", "--exit-code", "proto"],
  ["nothing that was released is broken", "buf", "breaking", "proto", "--against", "proto/baseline.binpb"],
  ["generate", "buf", "generate", "--output", fresh],
  ...["gen", "clients/typescript/gen"].map(
    (folder): Step => [`${folder} is up to date`, "diff", "--recursive", "--brief", folder, join(fresh, folder)],
  ),
  ["unit tests and the rules of the house", "vitest", "run", "--project", "unit"],
];

const failed = STEPS.filter(([title, command, ...args]) => {
  const start = performance.now();
  process.stdout.write(`\n== ${title}: ${command} ${args.join(" ")}\n`);
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) process.stdout.write(`${error.message}\n`);
  process.stdout.write(`== ${status === 0 ? "ok" : "FAILED"}, ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
  return status !== 0;
});

rmSync(fresh, { recursive: true, force: true });
for (const [title] of failed) process.stdout.write(`failed: ${title}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
