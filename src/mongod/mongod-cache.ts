import { chmod, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { compareVersions, type MongodBinary, probeMongod } from "./mongod-version.ts";

const SCRATCH_PREFIX = ".scratch-";
/** Less what the umask takes: binaries are no secrets. */
const FOLDER_MODE = 0o777;
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** Per-user cache of mongod binaries: `<cacheDir>/mongod/<version>/mongod`. Safe for processes that use it at once. */
export class MongodCache {
  readonly #root: string;

  constructor(cacheDir: string) {
    this.#root = join(cacheDir, "mongod");
  }

  get root(): string {
    return this.#root;
  }

  /** Paths with the versions their folders claim, newest first. The binaries have not been tried. */
  async list(): Promise<MongodBinary[]> {
    const names = await readdir(this.#root).catch(() => []);
    return names
      .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
      .sort((a, b) => compareVersions(b, a))
      .map((version) => ({ version, path: join(this.#root, version, "mongod") }));
  }

  /** Gives `use` a fresh folder on the cache's file system and removes it afterwards. */
  async withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
    await makeFolder(this.#root, FOLDER_MODE);
    await this.#removeAbandonedScratch();
    const folder = await mkdtemp(join(this.#root, SCRATCH_PREFIX));
    try {
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Moves a binary out of a scratch folder into the cache once it is seen to run. One rename, so that another process
   * finds either no binary or a whole one, and replacing one that is running is harmless.
   */
  async adopt(file: string): Promise<MongodBinary> {
    await chmod(file, 0o755);
    const { version } = await probeMongod(file);
    const folder = join(this.#root, version);
    await makeFolder(folder, FOLDER_MODE);
    const path = join(folder, "mongod");
    await rename(file, path);
    return { path, version };
  }

  /** A download that was killed leaves up to 200 MB behind; its folder is old by the time anybody else may remove it. */
  async #removeAbandonedScratch(): Promise<void> {
    for (const name of await readdir(this.#root)) {
      if (!name.startsWith(SCRATCH_PREFIX)) continue;
      const folder = join(this.#root, name);
      const modifiedMs = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now();
      if (Date.now() - modifiedMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
    }
  }
}
