import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { AnalyticsServiceLogsTailRequestSchema, AnalyticsSource } from "../../gen/keysvc/v1/analytics_pb.js";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { writeTrafficRow } from "../journal/traffic-event.ts";
import { type FollowJournal, LiveEvents } from "./live-events.ts";
import { tailLogs } from "./tail-logs.ts";

/** Events that a slow reader may be behind. */
const WAITING_MAX = 10_000;
const BATCH = 1_000;

/** A journal whose entries a test hands on itself. */
function openFeed() {
  let insert: (entry: JournalEntry) => void = () => undefined;
  let stops = 0;
  const follow: FollowJournal = ({ onInsert, onGap }) => {
    insert = onInsert;
    queueMicrotask(onGap);
    return { stop: async () => void stops++ };
  };
  return { live: new LiveEvents(follow), insert: (entry: JournalEntry) => insert(entry), stops: () => stops };
}

function entry(first: number): JournalEntry {
  const texts = { method: "GET", path: "/", endpoint: "/", clientIp: "", apiKey: "", apiId: "", apiName: "" };
  const none = { consumerId: "", consumerName: "", country: "", region: "", userAgent: "" };
  const contents = { requestBody: "", responseBody: "", requestHeaders: "", responseHeaders: "" };
  const rows = Array.from({ length: BATCH }, (_, index) =>
    writeTrafficRow({
      ...{ requestId: `req_${first + index}`, at: first, projectId: "project_1", statusCode: 200, latencyMs: 1 },
      ...{ ...texts, ...none, ...contents },
    }),
  );
  return { _id: `node:${first}`, kind: "traffic", at: new Date(first), count: BATCH, events: `[${rows.join()}]` };
}

function tail(live: LiveEvents, projectId = "project_1", signal = new AbortController().signal) {
  const request = create(AnalyticsServiceLogsTailRequestSchema, { source: AnalyticsSource.API_TRAFFIC });
  return tailLogs(live, projectId, request, signal);
}

it("lets go of a reader who is too far behind at once, not when it reads again, and tells it then", async () => {
  const feed = openFeed();
  const rows = (await tail(feed.live))[Symbol.asyncIterator]();
  feed.insert(entry(0));
  expect((await rows.next()).value.row.requestId).toBe("req_0");
  for (let first = BATCH; first <= WAITING_MAX + BATCH; first += BATCH) feed.insert(entry(first));
  expect(feed.stops()).toBe(1);
  const rest = (async () => {
    for (;;) if ((await rows.next()).done) return;
  })();
  await expect(rest).rejects.toMatchObject({ reason: "OVERLOADED" });
});

it("keeps up with what arrives while it is read", async () => {
  const feed = openFeed();
  const rows = (await tail(feed.live))[Symbol.asyncIterator]();
  let seen = 0;
  for (let first = 0; first < 3 * WAITING_MAX; first += BATCH) {
    feed.insert(entry(first));
    for (let index = 0; index < BATCH; index++, seen++)
      expect((await rows.next()).value.row.requestId).toBe(`req_${first + index}`);
  }
  expect(seen).toBe(3 * WAITING_MAX);
  expect(feed.stops()).toBe(0);
});

it("is refused to a project that a hundred follow already, until one of them ends, and not to others", async () => {
  const { live } = openFeed();
  const first = new AbortController();
  await tail(live, "project_1", first.signal);
  for (let count = 1; count < 100; count++) await tail(live);
  await expect(tail(live)).rejects.toMatchObject({ reason: "TOO_MANY_REQUESTS" });
  await tail(live, "project_2");
  first.abort();
  await tail(live);
});
