import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolder } from "./make-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keysvc-make-folder-"));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it("a folder is made with those above it, all with the mode that was asked for", async () => {
  await makeFolder(join(folder, "a", "b", "c"), 0o700);
  for (const path of ["a", "a/b", "a/b/c"]) expect(await modeOf(join(folder, path)), path).toBe("700");
});

it("a folder that is there, or a link to one, is left as it is", async () => {
  await mkdir(join(folder, "there"), { mode: 0o755 });
  await symlink(join(folder, "there"), join(folder, "link"));
  for (const path of ["/", ".", folder, join(folder, "there"), join(folder, "link")]) await makeFolder(path, 0o700);
  expect(await modeOf(join(folder, "there"))).toBe("755");
});

it("all who make the same folder at once find it made", async () => {
  await Promise.all(Array.from({ length: 50 }, () => makeFolder(join(folder, "deep", "er", "est"), 0o700)));
  expect((await stat(join(folder, "deep", "er", "est"))).isDirectory()).toBe(true);
});

it("a file in the way is refused with the system's error", async () => {
  await writeFile(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file"), 0o700)).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(join(folder, "file", "a"), 0o700)).rejects.toMatchObject({ code: "ENOTDIR" });
});

it.runIf(existsSync("/proc/self"))("a folder that takes none is refused, and not tried for ever", async () => {
  await expect(makeFolder("/proc/keysvc", 0o700)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(makeFolder("/proc/keysvc/a/b", 0o700)).rejects.toMatchObject({ code: "ENOENT" });
});
