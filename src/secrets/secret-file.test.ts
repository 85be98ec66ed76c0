import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSecret, readOrMakeSecret } from "./secret-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keysvc-secret-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("readOrMakeSecret", () => {
  it("makes a file that only its owner may read, in folders that only the owner may enter", async () => {
    const path = join(folder, "data", "secret");
    expect(await readOrMakeSecret(path, () => "made")).toBe("made");
    expect(await readFile(path, "utf8")).toBe("made\n");
    expect(await modeOf(path)).toBe("600");
    expect(await modeOf(join(folder, "data"))).toBe("700");
  });

  it("makes it so under a loose umask too", async () => {
    const umask = process.umask(0);
    try {
      await readOrMakeSecret(join(folder, "secret"), () => "made");
      expect(await modeOf(join(folder, "secret"))).toBe("600");
    } finally {
      process.umask(umask);
    }
  });

  it("reads a file that is there, without the white space around it, and makes nothing", async () => {
    const path = join(folder, "secret");
    await writeFile(path, "  kept \n");
    const make = vi.fn(() => "made");
    expect(await readOrMakeSecret(path, make)).toBe("kept");
    expect(make).not.toHaveBeenCalled();
    expect(await readFile(path, "utf8")).toBe("  kept \n");
  });

  it("gives all who start at once the same secret", async () => {
    const path = join(folder, "deep", "er", "secret");
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => readOrMakeSecret(path, () => `secret of ${index}`)),
    );
    const stored = (await readFile(path, "utf8")).trim();
    expect(new Set(answers)).toEqual(new Set([stored]));
  });

  it("leaves no other file behind", async () => {
    const path = join(folder, "secret");
    await Promise.all(Array.from({ length: 10 }, (_, index) => readOrMakeSecret(path, () => `secret of ${index}`)));
    expect(await readdir(folder)).toEqual(["secret"]);
  });

  it.each(["", "\n", " \t\r\n"])(
    "refuses a file that holds nothing (%j), names it, and leaves it alone",
    async (text) => {
      const path = join(folder, "secret");
      await writeFile(path, text);
      await expect(readOrMakeSecret(path, () => "made")).rejects.toThrow(`${path} is empty`);
      expect(await readFile(path, "utf8")).toBe(text);
    },
  );

  it("rejects with the system's error when the path is a folder, or lies below a file", async () => {
    await expect(readOrMakeSecret(folder, () => "made")).rejects.toMatchObject({ code: "EISDIR" });
    await writeFile(join(folder, "file"), "x");
    await expect(readOrMakeSecret(join(folder, "file", "secret"), () => "made")).rejects.toMatchObject({
      code: "ENOTDIR",
    });
  });
});

describe("createSecret", () => {
  it("makes 256 bits that can be pasted anywhere, behind a prefix", () => {
    expect(createSecret("proj")).toMatch(/^proj_[A-Za-z0-9_-]{43}$/);
    expect(new Set(Array.from({ length: 1_000 }, () => createSecret("proj"))).size).toBe(1_000);
  });
});
