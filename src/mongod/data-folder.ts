import { randomBytes } from "node:crypto";
import { chmod, link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { EmbeddedMongodError } from "./embedded-mongod-error.ts";

/** What the embedded database keeps in `<dataDir>/mongod`, a folder for this user alone (0700, its files 0600). */
export interface DataFolder {
  /** mongod's own files. */
  dbPath: string;
  /** Shared secret that turns mongod's access control on. */
  keyFile: string;
  logFile: string;
  password: string;
  /** Version of the mongod that opened the data last, undefined as long as there is no data. */
  readonly version: string | undefined;
  rememberVersion(version: string): Promise<void>;
  /** The port that mongod had when it was last ready, undefined before the first time. It may be somebody else's by now. */
  lastPort(): Promise<number | undefined>;
  rememberPort(port: number): Promise<void>;
}

/** Opens the folder, or makes it with fresh random secrets. Two processes that do it at once end up with the same ones. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const root = resolve(dataDir, "mongod");
  const dbPath = join(root, "db");
  await makeFolder(dbPath, 0o700).catch((error: Error) => {
    throw new EmbeddedMongodError(`KEYSVC_DATA_DIR: ${error.message}`, { cause: error });
  });
  // Its mode says nothing about a folder that was there before.
  await chmod(root, 0o700);
  const keyFile = join(root, "keyfile");
  const versionFile = join(root, "version");
  const portFile = join(root, "port");
  await createOnce(keyFile, randomBytes(96).toString("base64"));
  const password = await createOnce(join(root, "password"), randomBytes(24).toString("base64url"));
  let remembered = (await hasData(dbPath)) ? await readTrimmed(versionFile) : undefined;
  return {
    dbPath,
    keyFile,
    password,
    logFile: join(root, "mongod.log"),
    get version() {
      return remembered;
    },
    rememberVersion: async (seen) => {
      if (seen !== remembered) await replaceFile(versionFile, `${seen}\n`);
      remembered = seen;
    },
    lastPort: async () => Number(await readTrimmed(portFile)) || undefined,
    rememberPort: (port) => replaceFile(portFile, `${port}\n`),
  };
}

/** Whether a mongod has ever got as far as making its files: a binary that failed before must not be held on to. */
async function hasData(dbPath: string): Promise<boolean> {
  return (await readTrimmed(join(dbPath, "WiredTiger"))) !== undefined;
}

/** Undefined if the file is missing or empty. */
async function readTrimmed(path: string): Promise<string | undefined> {
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return content.trim() === "" ? undefined : content.trim();
}

/** Returns what is in the file, which is `content` unless the file was there before. Never leaves half a secret. */
async function createOnce(path: string, content: string): Promise<string> {
  const present = await readTrimmed(path);
  if (present !== undefined) return present;
  const draft = draftName(path);
  try {
    await writeFile(draft, `${content}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, "utf8")).trim();
}

async function replaceFile(path: string, content: string): Promise<void> {
  const draft = draftName(path);
  await writeFile(draft, content, { mode: 0o600, flush: true });
  await rename(draft, path);
}

function draftName(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}`;
}
