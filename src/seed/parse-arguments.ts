import { parseArgs } from "node:util";

export interface SeedArguments {
  consumers: number;
  /** Name or id; undefined: the default project. */
  project: string | undefined;
  keysPerConsumer: number;
  seed: number;
}

/** Arguments that cannot be used. The message names each one at fault. */
export class UsageError extends Error {}

export const USAGE = `usage: npm run seed -- --consumers <number> [options]

Fills a project with consumers, keys, plans and APIs that look like a real project's. What is there stays: a second run
adds more. A service may run on the same database meanwhile.

  --consumers <number>         how many consumers to add, 1 to 100,000,000
  --keys-per-consumer <number> keys of each consumer, 0 to 100 (default 1)
  --project <name or id>       where to add them (default: the project that the first start makes)
  --seed <number>              0 to 4,294,967,295; the same one gives the same data, apart from ids, key values and
                               times, which are relative to now (default 42)
  --help                       shows this

The database is that of the service: KEYSVC_MONGODB_URI with KEYSVC_SECRET, else the embedded one in KEYSVC_DATA_DIR.
`;

const CONSUMERS_MAX = 100_000_000;
const KEYS_PER_CONSUMER_MAX = 100;
const SEED_MAX = 2 ** 32 - 1;

/** Reads the command line. Throws a UsageError; returns "help" when that is what it asks for. */
export function parseArguments(commandLine: readonly string[]): SeedArguments | "help" {
  const values = parseOptions(commandLine);
  if (values.help === true) return "help";
  const problems: string[] = [];
  const number = (name: keyof typeof values, least: number, most: number, fallback?: number): number => {
    const text = values[name] ?? fallback?.toString();
    if (typeof text === "string" && /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) {
      return Number(text);
    }
    const rule = `must be a whole number from ${least} to ${most}`;
    problems.push(text === undefined ? `--${name} is required` : `--${name} ${rule}, not ${JSON.stringify(text)}`);
    return least;
  };
  const read: SeedArguments = {
    consumers: number("consumers", 1, CONSUMERS_MAX),
    project: values.project,
    keysPerConsumer: number("keys-per-consumer", 0, KEYS_PER_CONSUMER_MAX, 1),
    seed: number("seed", 0, SEED_MAX, 42),
  };
  if (values.project === "") problems.push("--project must not be empty");
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return read;
}

function parseOptions(commandLine: readonly string[]) {
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        consumers: { type: "string" },
        "keys-per-consumer": { type: "string" },
        project: { type: "string" },
        seed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    // What parseArgs says of an unknown option or a missing value is meant for people.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
