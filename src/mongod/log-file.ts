import { copyFile, type FileHandle, open, rename, stat, truncate } from "node:fs/promises";

const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** Under write conflicts mongod can write some megabytes a second. */
const CHECK_INTERVAL_MS = 5_000;

/** Opens mongod's log for appending; the one of the run before stays beside it as `<path>.1`. */
export async function openLog(path: string): Promise<FileHandle> {
  await rename(path, `${path}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return await open(path, "a", 0o600);
}

/**
 * Keeps a log that is being written near 16 MiB at most: its content moves to `<path>.1` and it starts anew. mongod
 * appends through a descriptor it inherited, so the file is emptied in place. Returns a function that ends the watch.
 */
export function boundLog(path: string): () => void {
  const timer = setInterval(() => {
    // Losing a rotation (a full disk, say) must not take the service down.
    rotateIfLarge(path).catch(() => undefined);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function rotateIfLarge(path: string): Promise<void> {
  if ((await stat(path)).size <= MAX_LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}
