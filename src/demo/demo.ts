import { readConfig } from "../config.ts";
import { Interruption, watchInterruption } from "../lib/interruption.ts";
import { createProgressBar } from "../lib/progress-bar.ts";
import { OutputFailure, watchOutput } from "../lib/watch-output.ts";
import { askAnalytics, windowUpTo } from "./analytics-answers.ts";
import { findAnalyticsDifferences } from "./analytics-differences.ts";
import { describeAnalytics, describeIngest } from "./analytics-report.ts";
import { expectationOf } from "./expectation.ts";
import { ingestTraffic } from "./ingest-traffic.ts";
import { loadTraffic, type Traffic } from "./load-traffic.ts";
import { findDifferences } from "./outcome.ts";
import { startOwnService } from "./own-service.ts";
import { CONCURRENCY, collectOutcome, createConsumers, type ReplayConsumer, replayRequests } from "./replay.ts";
import { describeAgreement, describeExpectation, describeOutcome, describeTraffic, describeVerdict } from "./report.ts";
import { createServiceClient, type ServiceClient } from "./service-client.ts";
import { shiftOf, trafficEventsOf } from "./traffic-event.ts";

const AGREED = "The analytics agree to the unit with a count of the log, and with the verdicts that were answered.";

const print = (...lines: string[]): void => {
  process.stdout.write(`${lines.join("\n")}\n`);
};

/**
 * Starts a service, replays an access log through it, records the log as traffic, and compares. Resolves with the exit
 * code.
 */
async function main(): Promise<number> {
  const signal = AbortSignal.any([watchInterruption(), watchOutput("demo")]);
  const { KEYSVC_ACCESS_LOG_DIR } = process.env;
  const { accessLogDir } = readConfig({ KEYSVC_ACCESS_LOG_DIR });
  const traffic = await loadTraffic(accessLogDir);
  print(...describeTraffic(traffic));
  if (traffic.entries.length === 0) throw new Error("the access log has no requests to replay");
  print("Starting the service with a database of its own ...");
  const service = await startOwnService(process.env, (line) => print(line));
  const client = createServiceClient(service.port, service.projectKey, CONCURRENCY);
  try {
    const replayed = await replay(client, traffic, signal);
    const differences = [...replayed.differences, ...(await record(client, traffic, replayed, signal))];
    return differences.length === 0 ? 0 : 1;
  } finally {
    client.close();
    await service.stop();
  }
}

interface Replayed {
  consumers: ReplayConsumer[];
  /** Of the answers, by client address. */
  codesByClient: Map<string, Map<string, number>>;
  /** How they differ from what the log implies. */
  differences: string[];
}

/** Validates the requests of the log. */
async function replay(client: ServiceClient, { entries }: Traffic, signal: AbortSignal): Promise<Replayed> {
  const expectation = expectationOf(entries);
  const consumers = await createConsumers(client, expectation, signal);
  print(...describeExpectation(expectation), "");
  const bar = createProgressBar(process.stdout, entries.length);
  const startedAtMs = performance.now();
  let answers = 0;
  const codesByClient = await replayRequests(client, entries, consumers, () => bar.update(++answers), signal).finally(
    bar.end,
  );
  const elapsedMs = performance.now() - startedAtMs;
  const outcome = await collectOutcome(client, consumers, codesByClient, signal);
  const differences = findDifferences(expectation, outcome);
  print("", ...describeOutcome(expectation, outcome), "", ...describeVerdict(outcome, differences, elapsedMs));
  return { consumers, codesByClient, differences };
}

/**
 * Records the log as traffic of the last days, and asks the analytics about it and about the validations.
 *
 * @returns how the answers differ from a count of the log
 */
async function record(
  client: ServiceClient,
  traffic: Traffic,
  { consumers, codesByClient }: Replayed,
  signal: AbortSignal,
): Promise<string[]> {
  const { entries } = traffic;
  const shiftMs = shiftOf(entries, Date.now());
  const consumerIds = new Map(consumers.map(({ clientAddress, consumerId }) => [clientAddress, consumerId]));
  const events = trafficEventsOf(traffic, shiftMs, consumerIds);
  print("", "The same requests as traffic that was served, the newest a moment ago:");
  const startedAtMs = performance.now();
  const ingested = await ingestTraffic(client, events, signal);
  print(...describeIngest(ingested, performance.now() - startedAtMs), "");
  const oldestMs = events.reduce((oldest, { timestamp }) => Math.min(oldest, timestamp), Number.POSITIVE_INFINITY);
  const answers = await askAnalytics(client, windowUpTo(Date.now(), oldestMs));
  signal.throwIfAborted();
  const differences = findAnalyticsDifferences({ entries, shiftMs, codesByClient }, ingested, answers);
  print(...describeAnalytics(answers), "", ...describeAgreement(AGREED, differences));
  return differences;
}

main().then(
  (exitCode) => {
    // Unless the last lines could not be written.
    process.exitCode ||= exitCode;
  },
  (error: unknown) => {
    // Told, with its exit code, when it happened.
    if (error instanceof OutputFailure) return;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Interruption ? error.exitCode : 1;
  },
);
