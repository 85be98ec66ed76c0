import { createAuditStore } from "../audit/store.ts";
import type { Config } from "../config.ts";
import { adoptDefaultProject, readMasterSecret } from "../credentials.ts";
import { formatCount } from "../lib/format-count.ts";
import { createProgressBar, type ProgressOutput } from "../lib/progress-bar.ts";
import { createSeededRandom } from "../lib/seeded-random.ts";
import type { Change } from "../mongo/change.ts";
import type { Database } from "../mongo/client.ts";
import { databaseTime } from "../mongo/database-time.ts";
import { SessionPool } from "../mongo/session-pool.ts";
import { createProjectStore, type ProjectStore } from "../project/store.ts";
import { openKeyring } from "../secrets/store.ts";
import { AGE_MAX_MS, type Filled, type FillOptions, fillProject } from "./fill-project.ts";
import type { SeedArguments } from "./parse-arguments.ts";
import { findProject, prepareProject } from "./prepare-project.ts";
import { createSeedStore } from "./store.ts";

/**
 * Fills a project with progress, and records in its audit log what was added, also when it did not come to its end. In a
 * new database it does first what the first start of a service does.
 *
 * @param output takes lines for people
 */
export async function seedProject(
  { client, db }: Database,
  config: Config,
  { project: idOrName, ...chosen }: SeedArguments,
  output: ProgressOutput,
  signal: AbortSignal,
): Promise<void> {
  const print = (line: string) => output.write(`${line}\n`);
  const { clockOffsetMs } = config;
  const nowMs = await databaseTime(db, clockOffsetMs);
  const keyring = await openKeyring(db, await readMasterSecret(config), config.previousSecret);
  const projects = createProjectStore(db, clockOffsetMs);
  const { change } = createAuditStore(new SessionPool(client), db, clockOffsetMs);
  const projectKey = await adoptDefaultProject({ config, store: projects, keyring, change, nowMs, report: print });
  if (projectKey !== undefined) {
    print(`project key (shown once, kept in ${config.dataDir}/project-key): ${projectKey}`);
  }
  const store = createSeedStore(db);
  const project = await findProject(store, idOrName ?? (await projects.findDefaultProject()) ?? "");
  const prepared = await prepareProject(store, project._id, nowMs - AGE_MAX_MS);
  const { consumers, keysPerConsumer, seed } = chosen;
  const options: FillOptions = {
    store,
    random: createSeededRandom(seed),
    surroundings: { projectId: project._id, ...prepared, keysPerConsumer, nowMs, clockOffsetMs },
    valueOptions: { keyring, recoverable: config.keysRecoverable },
    consumers,
  };
  print(`Filling the project ${project.name} (${project._id})`);
  const actor = { projectId: project._id, credentialId: null };
  await fill(options, (filled) => change(actor, (within) => record(within, projects, filled, seed)), output, signal);
}

/** Fills, then says and records what was added. */
async function fill(
  options: FillOptions,
  recordFilled: (filled: Filled) => Promise<void>,
  output: ProgressOutput,
  signal: AbortSignal,
): Promise<void> {
  const filled: Filled = { consumers: 0, keys: 0, sample: undefined };
  const bar = createProgressBar(output, options.consumers);
  const startedAtMs = performance.now();
  const [filling] = await Promise.allSettled([fillProject(options, filled, bar.update, signal)]);
  bar.end();
  output.write(describe(filled, performance.now() - startedAtMs));
  const [recording] = await Promise.allSettled([filled.consumers > 0 ? recordFilled(filled) : undefined]);
  // Why the filling ended comes first: a database that is gone cannot record it either.
  for (const outcome of [filling, recording]) if (outcome.status === "rejected") throw outcome.reason;
}

/** A running service learns by this entry, whose target is the project, that its lists are out of date. */
async function record(
  change: Change,
  projects: Pick<ProjectStore, "lock">,
  { consumers, keys }: Filled,
  seed: number,
): Promise<void> {
  if (!(await projects.lock(change))) throw new Error("the project was deleted meanwhile");
  const { projectId: targetId } = change.actor;
  change.record({ action: "project.seed", targetId, before: null, after: { consumers, keys, seed } });
}

function describe({ consumers, keys, sample }: Filled, elapsedMs: number): string {
  const perSecond = Math.round((1_000 * consumers) / elapsedMs);
  const added = `Added ${formatCount(consumers)} consumers with ${formatCount(keys)} keys`;
  const example = sample ? `A key that validates: ${sample.value} (of ${sample.consumerId})\n` : "";
  return `${added} in ${(elapsedMs / 1_000).toFixed(1)} s, ${formatCount(perSecond)} consumers/s\n${example}`;
}
