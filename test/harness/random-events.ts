import type { Db, MongoClient } from "mongodb";
import { toIngested } from "../../src/ingest/store.ts";
import { toActivityDocument } from "../../src/journal/activity-document.ts";
import { type ActivityEvent, writeRows } from "../../src/journal/activity-event.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { type TrafficEvent, writeTrafficRow } from "../../src/journal/traffic-event.ts";
import type { SeededRandom } from "../../src/lib/seeded-random.ts";
import type { SegmentEvent, Source } from "../../src/segments/segment.ts";
import type { OwnProject } from "./own-project.ts";

/** What tests compare of an event. */
export type ModelEvent = SegmentEvent & { requestId: string };

/** Writes entries of the journal as nodes do, in the order of their ids. */
export class JournalFeed {
  readonly #db: Db;
  readonly #projectId: string;
  #sequence = 0;
  #requests = 0;

  constructor(db: Db, projectId: string) {
    this.#db = db;
    this.#projectId = projectId;
  }

  /** Writes random events of a dataset between two times as one entry. @returns what a scan should see of them */
  async write(
    source: Source,
    count: number,
    [fromMs, untilMs]: [number, number],
    random: SeededRandom,
  ): Promise<ModelEvent[]> {
    const events = Array.from({ length: count }, () => this.#draw(fromMs, untilMs, random));
    const rows = source === "api_traffic" ? this.#traffic(events) : this.#activity(events, random);
    const _id = `feed_${this.#projectId}:${String(++this.#sequence).padStart(12, "0")}`;
    const kind = source === "api_traffic" ? "traffic" : "activity";
    const entry: JournalEntry = { _id, kind, at: new Date(), count, events: rows };
    // Traffic is in the journal too, where an earlier version has recorded it.
    const isIngested = kind === "traffic" && this.#sequence % 3 > 0;
    const ingested = () => toIngested(entry, { projectId: this.#projectId, requestIds: [], nowMs: Date.now() });
    await this.#db
      .collection<JournalEntry>(isIngested ? "ingested" : "journal")
      .insertOne(isIngested ? ingested() : entry, { writeConcern: { w: "majority" } });
    return events;
  }

  #draw(fromMs: number, untilMs: number, random: SeededRandom): ModelEvent {
    const one = <Value>(values: readonly Value[]) =>
      values[Math.floor(random.fraction() ** 2 * values.length)] as Value;
    const consumer = one(CONSUMERS);
    return {
      requestId: random.fraction() < 0.02 ? "req_twice" : `req_${++this.#requests}`,
      at: Math.floor(fromMs + random.fraction() * (untilMs - fromMs)),
      ...{ endpoint: one(ENDPOINTS), method: one(["GET", "POST", "", "PUT"]), clientIp: one(ADDRESSES) },
      ...{ statusCode: one([200, 404, 204, 301, 500, 429, 199, 403]), apiId: one(["api_a", "", "api_b"]) },
      ...{ consumerId: consumer[0], consumerName: consumer[1], count: 1 },
      latencyMs: Math.round(random.fraction() ** 4 * 20_000_000) / 1_000,
    };
  }

  #traffic(events: readonly ModelEvent[]): string {
    const rows = events.map((event) => {
      const { count: _count, ...common } = event;
      const full: TrafficEvent = { ...common, ...EMPTY, path: `${event.endpoint}?q=1`, projectId: this.#projectId };
      return writeTrafficRow(full);
    });
    return `[${rows.join()}]`;
  }

  /** Changes the events to what key_activity has of them: the status that belongs to a code, sometimes a count. */
  #activity(events: ModelEvent[], random: SeededRandom): string {
    const rows = events.map((event): ActivityEvent => {
      const code = CODES[Math.floor(random.fraction() * CODES.length)] ?? "VALID";
      const count = code === "NOT_FOUND" && random.fraction() < 0.3 ? 1 + Math.floor(random.fraction() * 50) : 1;
      const { statusCode: _status, ...common } = event;
      const charges = { creditsCharged: 1, creditsRemaining: random.fraction() < 0.5 ? null : 7, keyId: "key_1" };
      const { apiName, apiKey, country, region, userAgent } = EMPTY;
      const row = { ...common, ...charges, code, count, apiName, apiKey, country, region, userAgent };
      const full = { ...row, projectId: this.#projectId };
      Object.assign(event, { count, statusCode: toActivityDocument(full).statusCode });
      return full;
    });
    return writeRows(rows);
  }
}

const ENDPOINTS = ["/v1/a", "/v1/b", '/"quoted"', "/ü", "", "/v1/c", "/=1+1", "/new\nline"];
const ADDRESSES = ["192.0.2.1", "2001:db8::1", "", "198.51.100.7"];
const CONSUMERS: readonly [string, string][] = [
  ["consumer_1", "Acme"],
  ["consumer_2", "Bolt"],
  ["", "Acme"],
  ["", ""],
  ["consumer_1", "Acme, renamed"],
  ["consumer_3", ""],
];
const CODES = ["VALID", "NOT_FOUND", "RATE_LIMITED", "KEY_DISABLED", "USAGE_EXCEEDED", "KEY_EXPIRED"];
const EMPTY = {
  ...{ apiKey: "", apiName: "", country: "", region: "", userAgent: "" },
  ...{ requestBody: "", responseBody: "", requestHeaders: "", responseHeaders: "" },
};

export async function projectIdOf(client: MongoClient, project: OwnProject): Promise<string> {
  const _id = await project.credentialId();
  const credential = await client.db().collection<{ _id: string; projectId: string }>("credentials").findOne({ _id });
  return credential?.projectId ?? "";
}
