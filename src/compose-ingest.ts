import type { ApiStore } from "./api/store.ts";
import type { Config } from "./config.ts";
import type { ConsumerStore } from "./consumer/store.ts";
import { BatchRecording } from "./ingest/batch-recording.ts";
import { NameLookUp } from "./ingest/name-look-up.ts";
import { Recorder } from "./ingest/recorder.ts";
import type { IngestOptions } from "./ingest/service.ts";
import { createIngestStore } from "./ingest/store.ts";
import { JournalBacklog } from "./journal/journal-backlog.ts";
import type { JournalWriter } from "./journal/journal-writer.ts";
import { journalSize } from "./journal/waiting-events.ts";
import type { Database } from "./mongo/client.ts";
import type { DatabaseClock } from "./mongo/database-clock.ts";
import type { Tracing } from "./tracing/tracing.ts";

/** As the names that validation records. */
const NAME_FRESH_MS = 150;
const NAMES_MAX = 10_000;

export interface IngestParts {
  config: Pick<Config, "retentionDays">;
  apis: ApiStore;
  consumers: ConsumerStore;
  clock: Pick<DatabaseClock, "now">;
  journal: Pick<JournalWriter, "entry">;
  now: () => Promise<number>;
  /** undefined: nothing is traced. */
  tracing: Tracing | undefined;
}

/** What the handler of /ingest needs. */
export function composeIngest(
  { config, apis, consumers, clock, journal, now, tracing }: IngestParts,
  { db }: Database,
): IngestOptions & { waiting: Pick<Recorder, "waitingCount"> } {
  const databaseNow = async () => clock.now()?.latestMs ?? (await now());
  const memory = { ageMaxMs: NAME_FRESH_MS, entriesMax: NAMES_MAX, monotonicMs: () => performance.now() };
  const recording = new BatchRecording({ store: createIngestStore(db), journal, now: databaseNow });
  const run: BatchRecording["run"] = (portions, isGivenUp) => {
    const record = () => recording.run(portions, isGivenUp);
    // The rows are what a portion has in common with its call, unless that was too large for one.
    const calls = portions.map(({ call }) => call.rows);
    return tracing === undefined ? record() : tracing.batch("recording", calls, record);
  };
  const recorder = new Recorder({ run });
  return {
    recorder: {
      checkRoom: () => recorder.checkRoom(),
      record(recording) {
        tracing?.remember(recording.rows);
        return recorder.record(recording);
      },
    },
    waiting: recorder,
    backlog: new JournalBacklog({ size: () => journalSize(db), monotonicMs: () => performance.now() }),
    clock,
    now,
    retentionDays: config.retentionDays,
    apiNames: new NameLookUp({ find: apis.findNames, ...memory }),
    consumerNames: new NameLookUp({ find: consumers.findNames, ...memory }),
  };
}
