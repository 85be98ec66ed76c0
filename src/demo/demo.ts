import { readConfig } from "../config.ts";
import { Interruption, watchInterruption } from "../lib/interruption.ts";
import { createProgressBar } from "../lib/progress-bar.ts";
import { expectationOf } from "./expectation.ts";
import { loadTraffic, type Traffic } from "./load-traffic.ts";
import { findDifferences } from "./outcome.ts";
import { type OwnService, startOwnService } from "./own-service.ts";
import { CONCURRENCY, collectOutcome, createConsumers, replayRequests } from "./replay.ts";
import { describeExpectation, describeOutcome, describeTraffic, describeVerdict } from "./report.ts";
import { createServiceClient } from "./service-client.ts";

const print = (...lines: string[]): void => {
  process.stdout.write(`${lines.join("\n")}\n`);
};

/** Starts a service, replays an access log through it, and compares. Resolves with the exit code. */
async function main(): Promise<number> {
  const signal = watchInterruption();
  const { KEYSVC_ACCESS_LOG_DIR } = process.env;
  const { accessLogDir } = readConfig({ KEYSVC_ACCESS_LOG_DIR });
  const traffic = await loadTraffic(accessLogDir);
  print(...describeTraffic(traffic));
  if (traffic.entries.length === 0) throw new Error("the access log has no requests to replay");
  print("Starting the service with a database of its own ...");
  const service = await startOwnService(process.env, (line) => print(line));
  try {
    const differences = await replay(service, traffic, signal);
    return differences.length === 0 ? 0 : 1;
  } finally {
    await service.stop();
  }
}

/** @returns how the outcome differs from what the log implies */
async function replay({ port, projectKey }: OwnService, { entries }: Traffic, signal: AbortSignal): Promise<string[]> {
  const client = createServiceClient(port, projectKey, CONCURRENCY);
  try {
    const expectation = expectationOf(entries);
    const consumers = await createConsumers(client, expectation, signal);
    print(...describeExpectation(expectation), "");
    const bar = createProgressBar(process.stdout, entries.length);
    const startedAtMs = performance.now();
    let answers = 0;
    const codes = await replayRequests(client, entries, consumers, () => bar.update(++answers), signal).finally(
      bar.end,
    );
    const elapsedMs = performance.now() - startedAtMs;
    const outcome = await collectOutcome(client, consumers, codes, signal);
    const differences = findDifferences(expectation, outcome);
    print("", ...describeOutcome(expectation, outcome), "", ...describeVerdict(outcome, differences, elapsedMs));
    return differences;
  } finally {
    client.close();
  }
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Interruption ? error.exitCode : 1;
  },
);
