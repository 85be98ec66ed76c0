import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { trafficSeries } from "../src/journal/drain-store.ts";
import { INGESTED } from "../src/journal/queue.ts";
import type { Database } from "../src/mongo/client.ts";
import { prepareTimeSeries } from "../src/mongo/schema.ts";
import type { BenchProject } from "./analytics-projects.ts";
import { createBatch, toSent } from "./ingest-bodies.ts";
import type { IngestPlan } from "./ingest-load.ts";
import { figuresOf, type LoadResult, runLoad } from "./load.ts";
import { type BenchServer, startControl, startService } from "./servers.ts";
import { openValidateDatabase } from "./validate-database.ts";

export interface IngestOptions {
  database: Database;
  /** Of the service. */
  settings: Record<string, string>;
  dataDir: string;
  hasWrk: boolean;
  warmUpSeconds: number;
  seconds: number;
  /** How often raw inserts and calls of /ingest are measured, in turns. */
  rounds: number;
  signal: AbortSignal;
  /** Takes lines for people. */
  print: (line: string) => void;
  /** Makes a project at a running service. */
  createProject: (service: BenchServer) => Promise<BenchProject>;
}

export interface IngestSample {
  name: "raw" | "batches" | "control" | "single";
  /** Events, of the control calls, that were acknowledged in a second. */
  rps: number;
  /** The same until all of them were in the time-series; null where nothing is drained. */
  drainedRps: number | null;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  /** Events in the time-series less those that were acknowledged; null where none are. */
  surplus: number | null;
  /** So many calls may have been cut off at the end. */
  cutOff: number;
}

export const BATCH_EVENTS = 1_000;
export const BATCH_CONNECTIONS = 8;
export const SINGLE_CONNECTIONS = 256;
const EQUAL_COLLECTION = "equal_traffic";
const RETENTION_DAYS = 30;
const CONTROL_KEYS = 1_000;
const LOAD = resolve(import.meta.dirname, "ingest-load.ts");
const LUA = resolve(import.meta.dirname, "ingest.lua");
const DRAIN_POLL_MS = 20;
const DRAIN_MAX_MS = 300_000;

/** What is measured at a running service. */
interface Run extends IngestOptions {
  service: BenchServer;
  project: BenchProject;
  eventsFile: string;
}

/** Raw inserts and calls of /ingest in turns, then one event a call beside the control of `npm run bench`. */
export async function measureIngest(options: IngestOptions): Promise<IngestSample[]> {
  const { database, settings, dataDir } = options;
  const keysFile = await fillControl(options);
  const equal = { ...trafficSeries, collection: EQUAL_COLLECTION };
  const control = database.client.db("control");
  await prepareTimeSeries(control, [equal], RETENTION_DAYS);
  const service = await startService(settings);
  try {
    const run = { ...options, service, project: await options.createProject(service), eventsFile: "" };
    run.eventsFile = await writeEvents(dataDir, run.project.projectId);
    const samples: IngestSample[] = [];
    const add = async (sample: Promise<IngestSample>) => {
      samples.push(await sample);
      options.print(describe(await sample));
    };
    for (let round = 0; round < options.rounds; round++) {
      await add(measureRaw(run));
      await add(measureService(run, "batches"));
    }
    await add(measureControl(run, keysFile));
    await add(measureService(run, "single"));
    await add(measureControl(run, keysFile));
    return samples;
  } finally {
    await service.stop();
    // What comes next is to have the memory of the database for itself.
    await control.dropCollection(EQUAL_COLLECTION);
  }
}

/** Consumers and keys as the benchmark of validates has them. @returns the file of the keys */
async function fillControl({ settings, dataDir, signal }: IngestOptions): Promise<string> {
  const validates = await openValidateDatabase(settings, dataDir);
  try {
    const { keys, keysFile } = await validates.fill("spread", CONTROL_KEYS, CONTROL_KEYS, signal);
    await validates.fillControl(keys);
    return keysFile;
  } finally {
    await validates.close();
  }
}

/** Events for wrk, one a line. */
async function writeEvents(dataDir: string, projectId: string): Promise<string> {
  const file = join(dataDir, "events");
  const { events } = createBatch(projectId, BATCH_EVENTS);
  const lines = events.map((event) => {
    // Without a time: it is served now.
    return JSON.stringify({ ...toSent({ ...event, requestId: "req_RUN_NAME00000000" }), timestamp: undefined });
  });
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

async function measureRaw({ settings, project, warmUpSeconds, seconds, signal }: Run): Promise<IngestSample> {
  const to = { uri: settings.KEYSVC_MONGODB_URI ?? "", collection: EQUAL_COLLECTION };
  const plan = { to, projectId: project.projectId, connections: BATCH_CONNECTIONS, batchEvents: BATCH_EVENTS };
  await runOwn({ ...plan, seconds: warmUpSeconds }, signal);
  const { answered, seconds: took, failed, p50Ms, p99Ms } = await runOwn({ ...plan, seconds }, signal);
  const none = { drainedRps: null, surplus: null, cutOff: 0 };
  return { name: "raw", rps: (BATCH_EVENTS * answered) / took, p50Ms, p99Ms, failed, ...none };
}

/** From an empty journal to an empty journal. */
async function measureService(run: Run, name: "batches" | "single"): Promise<IngestSample> {
  const { warmUpSeconds, seconds, signal, hasWrk } = run;
  const load = (duration: number) => (name === "single" ? runSingle(run, duration) : runBatches(run, duration));
  await load(warmUpSeconds);
  await drained(run);
  const before = await storedEvents(run);
  const startMs = performance.now();
  const { answered, seconds: took, failed, p50Ms, p99Ms } = await load(seconds);
  const lateMs = performance.now() - startMs - 1_000 * took;
  await drained(run);
  // Less what the program of the load took to start and to end.
  const drainedSeconds = (performance.now() - startMs - lateMs) / 1_000;
  signal.throwIfAborted();
  const events = answered * (name === "single" ? 1 : BATCH_EVENTS);
  const figures = { rps: events / took, drainedRps: events / Math.max(drainedSeconds, took), p50Ms, p99Ms, failed };
  const surplus = (await storedEvents(run)) - before - events;
  return { name, ...figures, surplus, cutOff: name === "single" && hasWrk ? SINGLE_CONNECTIONS : 0 };
}

function runBatches({ service, project, signal }: Run, seconds: number): Promise<LoadResult> {
  const { projectId, projectKey: credential } = project;
  const plan = { projectId, connections: BATCH_CONNECTIONS, batchEvents: BATCH_EVENTS, seconds };
  return runOwn({ ...plan, to: { port: service.port, credential } }, signal);
}

function runSingle({ service, project, eventsFile, hasWrk, signal }: Run, seconds: number): Promise<LoadResult> {
  const { projectId, projectKey: credential } = project;
  if (!hasWrk) {
    const plan = { projectId, connections: SINGLE_CONNECTIONS, batchEvents: 1, seconds };
    return runOwn({ ...plan, to: { port: service.port, credential } }, signal);
  }
  const pace = ["--threads", "1", "--connections", String(SINGLE_CONNECTIONS), "--duration", `${seconds}s`];
  const script = ["--timeout", "10s", "--script", LUA, `http://127.0.0.1:${service.port}/ingest`];
  return figuresOf("wrk", [...pace, ...script, "--", eventsFile, randomBytes(6).toString("hex"), credential], signal);
}

function runOwn(plan: IngestPlan, signal: AbortSignal): Promise<LoadResult> {
  return figuresOf(process.execPath, [LOAD, JSON.stringify(plan)], signal);
}

async function measureControl(run: Run, keysFile: string): Promise<IngestSample> {
  const { settings, warmUpSeconds, seconds, hasWrk, signal } = run;
  const credential = "credential-of-the-control";
  const { port, stop } = await startControl(settings.KEYSVC_MONGODB_URI ?? "", credential);
  try {
    const plan = { protocol: "http" as const, port, credential, keysFile, connections: SINGLE_CONNECTIONS };
    await runLoad({ ...plan, seconds: warmUpSeconds }, hasWrk, signal);
    const { answered, seconds: took, failed, p50Ms, p99Ms } = await runLoad({ ...plan, seconds }, hasWrk, signal);
    const none = { drainedRps: null, surplus: null, cutOff: 0 };
    return { name: "control", rps: answered / took, p50Ms, p99Ms, failed, ...none };
  } finally {
    await stop();
  }
}

/** Waits until every event is in the time-series. */
async function drained({ database, signal }: Pick<Run, "database" | "signal">): Promise<void> {
  const waiting = database.db.collection(INGESTED.collection);
  const isWaiting = async () => (await waiting.countDocuments(INGESTED.present, { hint: "waiting", limit: 1 })) > 0;
  for (const endMs = performance.now() + DRAIN_MAX_MS; await isWaiting(); ) {
    signal.throwIfAborted();
    if (performance.now() > endMs) throw new Error("the journal does not become empty");
    await sleep(DRAIN_POLL_MS);
  }
}

function storedEvents({ database, project }: Run): Promise<number> {
  return database.db.collection(trafficSeries.collection).countDocuments({ projectId: project.projectId });
}

function describe({ name, rps, drainedRps, p50Ms, p99Ms }: IngestSample): string {
  const untilDrained = drainedRps === null ? "" : `, ${Math.round(drainedRps)} until drained`;
  return `${name}: ${Math.round(rps)} a second${untilDrained}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}
