import { afterEach, expect, it } from "vitest";
import { toIngested } from "../../src/ingest/store.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { drainable, QUEUES, type Queue } from "../../src/journal/queue.ts";
import { writeTrafficRow } from "../../src/journal/traffic-event.ts";
import { DaySums } from "../../src/segments/day-sums.ts";
import { createSegmentStore } from "../../src/segments/store.ts";
import { openJournal, stepUntil, type TestJournal } from "../harness/journal.ts";
import { TRAFFIC } from "../harness/traffic.ts";

/** Characters of an entry, as many as the recorder puts into one. */
const ENTRY_TEXT = 1_990_000;
const ENDPOINT_LENGTH = 8_000;

let journal: TestJournal;
afterEach(() => journal.close());

/** Writes an entry of events whose endpoints are all different, long, and of characters that take three bytes. */
async function writeLarge({ collection }: Queue, sequence: number): Promise<number> {
  const rows: string[] = [];
  for (let index = 0, text = 0; ; index++) {
    const endpoint = `/${sequence}/${index}/${"界".repeat(ENDPOINT_LENGTH)}`;
    const row = writeTrafficRow({ ...TRAFFIC, requestId: `req_${sequence}_${index}`, endpoint });
    text += row.length;
    if (text > ENTRY_TEXT) break;
    rows.push(row);
  }
  const _id = `node:${String(sequence).padStart(12, "0")}`;
  const entry: JournalEntry = { _id, kind: "traffic", at: new Date(), count: rows.length, events: `[${rows.join()}]` };
  const { projectId } = TRAFFIC;
  const ingested = () => toIngested(entry, { projectId, requestIds: [`req_${sequence}`], nowMs: Date.now() });
  const entries = journal.db.collection<JournalEntry>(collection);
  await entries.insertOne(collection === "journal" ? entry : ingested());
  return rows.length;
}

it.each(QUEUES)(
  "drains $collection and merges events that take as many bytes as a batch may have characters times three",
  async (queue) => {
    journal = await openJournal(queue);
    let written = 0;
    for (let sequence = 0; sequence < 9; sequence++) written += await writeLarge(queue, sequence);
    const { drainer, compaction } = await journal.compacting();
    await stepUntil(drainer, "idle");
    expect(await journal.db.collection(queue.collection).countDocuments(drainable(queue))).toBe(0);
    const rows = async () => {
      const found = await journal.db
        .collection("segments")
        .find({}, { projection: { rows: 1 } })
        .toArray();
      return { total: found.reduce((sum, { rows }) => sum + rows, 0), count: found.length };
    };
    const before = await rows();
    expect(before.total).toBe(written);
    // The hour is long over.
    while (await compaction.step());
    const after = await rows();
    expect(after.total).toBe(written);
    expect(after.count).toBeLessThan(before.count);
    // The day has more values than a document takes: it is left to its segments, and nothing fails.
    let nowMs = Date.now();
    const days = new DaySums({ store: createSegmentStore(journal.db), nowMs: () => nowMs });
    days.note({ projectId: TRAFFIC.projectId, source: "api_traffic" }, TRAFFIC.at);
    nowMs += 60_000;
    expect(await days.step()).toBe(true);
    expect(await journal.db.collection("segment_days").countDocuments()).toBe(0);
  },
  60_000,
);
