import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keysvc-proto-"));
  // The first are written by `npm run check` and `npm run generate`, before this runs.
  for (const name of [".proto-imports", "proto", "buf.yaml"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the check of `npm run check` finds. */
function breaking(): { status: number | null; stdout: string } {
  const buf = join(ROOT, "node_modules/.bin/buf");
  return spawnSync(buf, ["breaking", "proto", "--against", "proto/baseline.binpb"], { cwd: folder, encoding: "utf8" });
}

function change(from: string | RegExp, to: string): void {
  const file = join(folder, "proto/keysvc/v1/consumer.proto");
  const text = readFileSync(file, "utf8");
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
}

it("a field that is taken away, renumbered or of another type stops the check, and a new one does not", () => {
  change(/^( {2}(?:optional )?string external_id = \d+)/m, "  // New.\n  string other_id = 199;\n$1");
  expect(breaking()).toMatchObject({ status: 0, stdout: "" });
  change(/(string external_id =) \d+/, "$1 198");
  const { status, stdout } = breaking();
  expect([status, stdout]).toEqual([100, expect.stringContaining('with name "external_id"')]);
});

it("a method that is taken away stops the check", () => {
  change(/rpc Delete\(/, "rpc Remove(");
  const { status, stdout } = breaking();
  expect([status, stdout]).toEqual([100, expect.stringContaining('Previously present RPC "Delete"')]);
});
