import type { IngestService } from "../gen/keysvc/v1/ingest_pb.js";
import type { Recorder } from "./ingest/recorder.ts";
import type { JournalWriter } from "./journal/journal-writer.ts";
import { journalLag, journalSize } from "./journal/waiting-events.ts";
import { answerInTime } from "./lib/answer-in-time.ts";
import type { Handlers } from "./lib/call.ts";
import type { MetricSources, Metrics } from "./metrics/metrics.ts";
import type { Database } from "./mongo/client.ts";
import type { KeyCache } from "./validation/key-cache.ts";
import type { Settlement } from "./validation/settlement.ts";

/** Whoever scrapes gets what there is, also when the database does not answer. */
const JOURNAL_MAX_MS = 1_000;

export interface MeasuredParts {
  settlement: Pick<Settlement, "waitingCount">;
  journal: Pick<JournalWriter, "waitingCount">;
  recorder: Pick<Recorder, "waitingCount">;
  cache: Pick<KeyCache, "lookUps">;
}

/** Where the figures come from that are read when somebody asks for the metrics. */
export function metricSources(parts: MeasuredParts, { db }: Pick<Database, "db">): MetricSources {
  const { settlement, journal, recorder, cache } = parts;
  return {
    queueDepths: () => ({
      validate: settlement.waitingCount,
      journal: journal.waitingCount,
      ingest: recorder.waitingCount,
    }),
    keyLookUps: () => cache.lookUps,
    async journal() {
      try {
        const asked = Promise.all([journalSize(db), journalLag(db)]);
        const [bytes, lagSeconds] = await answerInTime(asked, JOURNAL_MAX_MS);
        return { bytes, lagSeconds };
      } catch {
        return undefined;
      }
    },
  };
}

/** The handlers of /ingest, with what became of the events of each call told. */
export function countIngested(
  { ingest }: Handlers<typeof IngestService>,
  onIngested: Metrics["onIngested"],
): Handlers<typeof IngestService> {
  if (ingest === undefined) return {};
  return {
    async ingest(request, call) {
      const answer = await ingest(request, call);
      const { accepted = 0, duplicates = 0, rejected = [] } = answer;
      onIngested({ accepted, duplicates, rejected: rejected.length });
      return answer;
    },
  };
}
