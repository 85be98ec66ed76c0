import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config.ts";
import { Interruption, watchInterruption } from "../src/lib/interruption.ts";
import { startEmbeddedMongod } from "../src/mongod/start-embedded-mongod.ts";
import { isWrkInstalled } from "./load.ts";
import { currentCommit, describeMachine } from "./machine.ts";

/** What a benchmark is run with. */
export interface BenchSurroundings {
  /** Of a mongod of its own. */
  uri: string;
  /** For files that are gone when it is over. */
  dataDir: string;
  hasWrk: boolean;
  /** Is aborted when it is to end. */
  signal: AbortSignal;
  print: (line: string) => void;
}

export interface BenchArguments {
  /** Where the figures are to be written. */
  json?: string | undefined;
  /** Whether the load is to be this program's own, also where wrk is installed. */
  isOwnLoad: boolean;
  /** Whether only the usage is to be shown. */
  help: boolean;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Runs a benchmark on an embedded mongod of its own, and ends the process with what it told. Arguments that are wrong are told
 * without a stack.
 *
 * @param measure prints what is for people. @returns what the file has besides the machine
 */
export function runBench(
  usage: string,
  readArguments: () => BenchArguments,
  measure: (surroundings: BenchSurroundings) => Promise<object>,
): void {
  run(usage, readArguments, measure).catch((error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Interruption ? error.exitCode : 1;
  });
}

async function run(
  usage: string,
  readArguments: () => BenchArguments,
  measure: (surroundings: BenchSurroundings) => Promise<object>,
): Promise<void> {
  const { json, isOwnLoad, help } = readArguments();
  if (help) {
    print(usage);
    return;
  }
  const signal = watchInterruption();
  const hasWrk = !isOwnLoad && (await isWrkInstalled());
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-bench-"));
  try {
    const { cacheDir, mongodPath } = readConfig(process.env);
    const mongod = await startEmbeddedMongod({ dataDir, cacheDir, mongodPath, report: print });
    try {
      const machine = describeMachine(mongod.version, hasWrk);
      print(`${machine.cores} cores, mongod ${machine.mongod}, Node ${machine.node}, load by ${machine.load}`);
      print(`before it began, ${machine.busyBefore.toFixed(1)} other processes ran or waited for a core`);
      const report = { at: new Date(), commit: currentCommit(), machine };
      const figures = await measure({ uri: mongod.uri, dataDir, hasWrk, signal, print });
      if (json) await writeFile(json, `${JSON.stringify({ ...report, ...figures }, null, 2)}\n`);
    } finally {
      await mongod.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
