import { readConfig } from "../config.ts";
import { Interruption, watchInterruption } from "../lib/interruption.ts";
import { OutputFailure, watchOutput } from "../lib/watch-output.ts";
import { openDatabase } from "./open-database.ts";
import { parseArguments, USAGE, UsageError } from "./parse-arguments.ts";
import { seedProject } from "./seed-project.ts";

/** Fills a project of the database that the settings name. */
async function main(): Promise<void> {
  const output = watchOutput("seed");
  const chosen = parseArguments(process.argv.slice(2));
  if (chosen === "help") {
    process.stdout.write(USAGE);
    return;
  }
  const signal = AbortSignal.any([watchInterruption(), output]);
  const config = readConfig(process.env);
  const database = await openDatabase(config, (line) => process.stdout.write(`${line}\n`));
  try {
    signal.throwIfAborted();
    await seedProject(database, config, chosen, process.stdout, signal);
  } finally {
    await database.close();
  }
}

const EXIT_USAGE = 2;

main().then(
  () => undefined,
  (error: unknown) => {
    // Told, with its exit code, when it happened.
    if (error instanceof OutputFailure) return;
    const isUsage = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`seed: ${message}\n${isUsage ? `\n${USAGE}` : ""}`);
    if (error instanceof Interruption) process.exitCode = error.exitCode;
    else process.exitCode = isUsage ? EXIT_USAGE : 1;
  },
);
