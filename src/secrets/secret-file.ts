import { randomBytes } from "node:crypto";
import { chmod, link, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";

/**
 * Reads a secret from a file, and makes the file, mode 0600, when it is not there. Two processes that start at once get
 * the same secret.
 *
 * @param make what a new file gets
 */
export async function readOrMakeSecret(path: string, make: () => string): Promise<string> {
  const existing = await readSecret(path);
  if (existing !== undefined) return existing;
  await makeFolder(dirname(path), 0o700);
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const secret = make();
  try {
    await writeFile(temporary, `${secret}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    // Fails when another process was faster, and never shows a file that is half written.
    await link(temporary, path);
    return secret;
  } catch (error) {
    const winner = await readSecret(path);
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Reads a secret from a file; undefined when there is none. */
export async function readSecret(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    if (text === "") throw new Error(`${path} is empty; delete it to have it made anew`);
    return text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** A secret of 256 random bits that can be pasted anywhere. */
export function createSecret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}
