import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { FaultReason } from "../lib/fault.ts";
import type { CommandObserver } from "../mongo/watch-commands.ts";

/** What became of an attempt to deliver a webhook. */
export type DeliveryResult = "delivered" | "failed" | "given_up";

/** What is read when somebody asks for the metrics: it costs nothing until then. */
export interface MetricSources {
  /** What waits in each queue of this node, by its name: a handful of names that never change. */
  queueDepths: () => Readonly<Record<string, number>>;
  /** Look-ups of keys since the start. */
  keyLookUps: () => { hits: number; misses: number };
  /** What waits in the journal; undefined when the database does not say in time. */
  journal: () => Promise<{ bytes: number; lagSeconds: number } | undefined>;
}

/** Figures of one moment, before there is anything to read. */
const NO_SOURCES: MetricSources = {
  queueDepths: () => ({}),
  keyLookUps: () => ({ hits: 0, misses: 0 }),
  journal: async () => undefined,
};

/** From a verdict out of memory, 0.1 ms, to the time at which callers are told that the database did not answer, 2.7 s. */
const VALIDATE_BUCKETS = [
  ...[0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5],
];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const COMMAND_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of this process (docs/operating.md lists them). Labels have few values that are known beforehand: never a key,
 * a credential, or anything that belongs to a project.
 */
export class Metrics {
  readonly #registry = new Registry();
  #sources = NO_SOURCES;

  readonly #validations = new Histogram({
    name: "keysvc_validate_duration_seconds",
    help: "Verdicts of /key/validate and of each request of a batch, with the time that each took, by code.",
    labelNames: ["code"],
    buckets: VALIDATE_BUCKETS,
    registers: [this.#registry],
  });
  readonly #batches = new Histogram({
    name: "keysvc_settlement_batch_size",
    help: "Calls that were settled in one transaction.",
    buckets: BATCH_BUCKETS,
    registers: [this.#registry],
  });
  readonly #ingested = this.#counter(
    "keysvc_ingest_events_total",
    "Events of /ingest: accepted, duplicate, rejected.",
    "result",
    ["accepted", "duplicate", "rejected"],
  );
  readonly #deliveries = this.#counter(
    "keysvc_webhook_deliveries_total",
    "Attempts to deliver webhooks: delivered, failed (tried again), given_up.",
    "result",
    ["delivered", "failed", "given_up"],
  );
  readonly #faults = this.#counter(
    "keysvc_faults_total",
    "Calls that were answered with a fault, by its reason (docs/errors.md).",
    "reason",
  );
  readonly #commands = new Counter({
    name: "keysvc_mongodb_commands_total",
    help: "Commands to MongoDB of the thread that answers calls: ok, failed.",
    labelNames: ["command", "result"],
    registers: [this.#registry],
  });
  readonly #commandSeconds = new Histogram({
    name: "keysvc_mongodb_command_duration_seconds",
    help: "How long they took. A getMore waits up to 50 ms for news.",
    labelNames: ["command"],
    buckets: COMMAND_BUCKETS,
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#collectQueues();
    this.#collectKeyLookUps();
    this.#collectJournal();
  }

  /** What the text is, for the header Content-Type. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics, as Prometheus reads them. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Says where the figures come from that are read when they are asked for. */
  readFrom(sources: MetricSources): void {
    this.#sources = sources;
  }

  /** @param code one of the verdicts */
  readonly onVerdict = (code: string, durationMs: number): void => {
    this.#validations.observe({ code }, durationMs / 1_000);
  };

  readonly onBatch = (calls: number): void => {
    this.#batches.observe(calls);
  };

  readonly onIngested = (counts: { accepted: number; duplicates: number; rejected: number }): void => {
    this.#ingested.inc({ result: "accepted" }, counts.accepted);
    this.#ingested.inc({ result: "duplicate" }, counts.duplicates);
    this.#ingested.inc({ result: "rejected" }, counts.rejected);
  };

  readonly onDelivery = (result: DeliveryResult): void => {
    this.#deliveries.inc({ result });
  };

  readonly onFault = (reason: FaultReason): void => {
    this.#faults.inc({ reason });
  };

  readonly onCommand: CommandObserver = (command) => {
    const startMs = performance.now();
    return (isOk) => {
      this.#commands.inc({ command, result: isOk ? "ok" : "failed" });
      this.#commandSeconds.observe({ command }, (performance.now() - startMs) / 1_000);
    };
  };

  /** @param values of the label, which are there from the start: a rate needs a zero to begin with */
  #counter<Label extends string>(name: string, help: string, label: Label, values: readonly string[] = []) {
    const counter = new Counter<Label>({ name, help, labelNames: [label], registers: [this.#registry] });
    // One label with that name: what the type cannot say of a name that is a parameter.
    for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
    return counter;
  }

  #collectQueues(): void {
    const sources = () => this.#sources;
    new Gauge({
      name: "keysvc_queue_depth",
      help: "What waits on this node: calls to be settled, events to be journaled, calls of /ingest.",
      labelNames: ["queue"],
      registers: [this.#registry],
      collect() {
        for (const [queue, depth] of Object.entries(sources().queueDepths())) this.set({ queue }, depth);
      },
    });
  }

  #collectKeyLookUps(): void {
    const sources = () => this.#sources;
    new Counter({
      name: "keysvc_key_cache_total",
      help: "Look-ups of presented keys in memory: hit, miss.",
      labelNames: ["result"],
      registers: [this.#registry],
      collect() {
        const { hits, misses } = sources().keyLookUps();
        this.reset();
        this.inc({ result: "hit" }, hits);
        this.inc({ result: "miss" }, misses);
      },
    });
  }

  #collectJournal(): void {
    let asking: ReturnType<MetricSources["journal"]> | undefined;
    // Both gauges are read at once, and share one question.
    const ask = () => {
      asking ??= this.#sources.journal().finally(() => {
        asking = undefined;
      });
      return asking;
    };
    const gauge = (name: string, help: string, field: "bytes" | "lagSeconds") =>
      new Gauge({
        ...{ name, help, registers: [this.#registry] },
        async collect() {
          const journal = await ask();
          // What is not known is left out: a zero would be a lie.
          if (journal === undefined) this.remove();
          else this.set(journal[field]);
        },
      });
    gauge(
      "keysvc_journal_bytes",
      "Bytes of the events that wait in the journal. Beyond 512 MB, /ingest answers 503.",
      "bytes",
    );
    gauge("keysvc_journal_lag_seconds", "Age of the oldest event that waits in the journal; 0: none.", "lagSeconds");
  }
}
