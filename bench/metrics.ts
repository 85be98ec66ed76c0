/**
 * `node bench/metrics.ts`: what the metrics cost a validate, and a command to MongoDB (with KEYSVC_MONGODB_URI set to one), in
 * microseconds of the thread that answers calls. The least of several rounds: what disturbs only ever adds.
 */
import { Metrics } from "../src/metrics/metrics.ts";
import { connectDatabase } from "../src/mongo/client.ts";

const ROUNDS = 9;
const CALLS = 200_000;
const COMMANDS = 4_000;
const AT_ONCE = 64;
const CODES = ["VALID", "NOT_FOUND", "RATE_LIMITED"];

const metrics = new Metrics();
const print = (what: string, microseconds: number) => process.stdout.write(`${what}: ${microseconds.toFixed(3)} µs\n`);

/** As `validationService` does it: two looks at the clock, and the verdict told. */
function validateRound(): number {
  const start = performance.now();
  for (let call = 0; call < CALLS; call++) {
    const startMs = performance.now();
    metrics.onVerdict(CODES[call % CODES.length] ?? "", performance.now() - startMs);
  }
  return ((performance.now() - start) * 1_000) / CALLS;
}

async function commandRounds(uri: string, isWatched: boolean): Promise<() => Promise<number>> {
  const observers = isWatched ? [metrics.onCommand] : [];
  const { db } = await connectDatabase(uri, { giveUpHangingSockets: true, observers });
  return async () => {
    const before = process.cpuUsage();
    const run = async () => {
      for (let sent = 0; sent < COMMANDS / AT_ONCE; sent++) await db.command({ ping: 1 });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, run));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / COMMANDS;
  };
}

print("a validate", Math.min(...Array.from({ length: ROUNDS }, validateRound)));
const uri = process.env.KEYSVC_MONGODB_URI;
if (uri !== undefined) {
  const [plain, watched] = [await commandRounds(uri, false), await commandRounds(uri, true)];
  const times = { plain: [] as number[], watched: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.plain.push(await plain());
    times.watched.push(await watched());
  }
  print("a command", Math.min(...times.plain));
  print("a command that is watched", Math.min(...times.watched));
}
process.exit(0);
