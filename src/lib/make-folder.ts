import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it, unless it is there. Node's own `recursive` never ends where a folder is there and
 * takes none, as those of /proc: it makes the folder above again and again.
 *
 * @param mode of those that are made
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  const failure = await tryMake(path, mode);
  if (failure === undefined) return;
  const parent = dirname(path);
  // One without a parent is the working folder, which was removed.
  if (failure.code !== "ENOENT" || parent === path) throw failure;
  await makeFolder(parent, mode);
  const lasting = await tryMake(path, mode);
  if (lasting !== undefined) throw lasting;
}

/** Undefined when the folder is there now, whoever made it; else why it could not be made. */
function tryMake(path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
  return mkdir(path, { mode }).then(
    () => undefined,
    async (error: NodeJS.ErrnoException) => ((await isFolder(path)) ? undefined : error),
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
