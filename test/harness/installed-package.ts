import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** A file of a package, as npm lists it. */
interface PackedFile {
  path: string;
  mode: number;
}

/** keysvc as its users have it: packed, and installed in a folder that knows nothing of this repository. */
export interface InstalledPackage {
  /** The folder of a user, with `node_modules` in it. */
  folder: string;
  files: PackedFile[];
  /** Bytes of the tarball. */
  size: number;
  remove(): void;
}

/** Packs, and installs the tarball by npm, from the registry and cache of whoever runs the tests. Throws what npm says. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "keysvc-package-"));
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", args, { cwd, env: userEnvironment(process.env.PATH ?? ""), encoding: "utf8", stdio: "pipe" });
  // The build needs the compiler and the Node of the repository, which npm finds there by itself.
  const [packed] = JSON.parse(npm(ROOT, "pack", "--json", "--pack-destination", folder));
  writeFileSync(join(folder, "package.json"), '{"name": "a-user", "private": true}');
  npm(folder, "install", "--prefer-offline", "--no-audit", `./${packed.filename}`);
  return {
    folder,
    files: packed.files,
    size: packed.size,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Without what npm tells scripts of the repository that it runs, such as where it is, and without settings of the service. */
export function userEnvironment(path: string): NodeJS.ProcessEnv {
  const told =
    /^(npm_(?!config_)|npm_config_(local_|global_)?prefix$|INIT_CWD$|NODE_OPTIONS$|VITEST|NODE_ENV$|KEYSVC_(?!CACHE_DIR))/;
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !told.test(name))), PATH: path };
}

/** A Node to run the package with. */
export interface FoundNode {
  version: string;
  /** A PATH on which it is the first. */
  path: string;
}

/** The Node of the repository and that of the machine, which may be the same, or much older. */
export function nodesHere(): FoundNode[] {
  const entries = (process.env.PATH ?? "").split(delimiter);
  const machinePath = entries.filter((entry) => !/node_modules|node-gyp/.test(entry)).join(delimiter);
  const { minimum } = /(?<minimum>[\d.]+)/.exec(readManifest().engines.node)?.groups ?? {};
  const paths = [[dirname(process.execPath), machinePath].join(delimiter), machinePath];
  const found = paths.flatMap((path) => {
    const version = versionOf(path);
    return version === undefined || version.localeCompare(minimum ?? "", "en", { numeric: true }) < 0
      ? []
      : [{ version, path }];
  });
  return found.filter(({ version }, index) => found.findIndex((other) => other.version === version) === index);
}

function versionOf(path: string): string | undefined {
  try {
    return execFileSync("node", ["--version"], { env: { PATH: path }, encoding: "utf8" })
      .trim()
      .slice(1);
  } catch {
    // There is none.
    return undefined;
  }
}

function readManifest(): { engines: { node: string } } {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
}
