import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IngestedEntry } from "../../src/journal/ingested-entry.ts";
import { INGESTED } from "../../src/journal/queue.ts";
import { HOUR_MS, MARGIN_MS, openLaterNodes } from "../harness/later-nodes.ts";
import { freshDatabaseUri, startService, type TestService } from "../harness/service.ts";
import { openTrafficReader, type TrafficReader } from "../harness/traffic-reader.ts";

let nodes: [TestService, TestService];
let reader: TrafficReader;
beforeAll(async () => {
  const KEYSVC_MONGODB_URI = freshDatabaseUri();
  const start = () => startService({ KEYSVC_MONGODB_URI });
  nodes = await Promise.all([start(), start()]);
  reader = await openTrafficReader(nodes[0]);
});
afterAll(async () => {
  await reader.close();
  for (const node of nodes) await node.close();
});

const event = (requestId: string) => ({ method: "GET", path: "/", statusCode: 200, requestId });
const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const idsOf = (prefix: string, count: number) => range(count).map((index) => `${prefix}-${index}`);

/** That each of these ids is stored once. */
async function expectOnce(prefix: string, ids: readonly string[]): Promise<void> {
  const stored = await reader.find({ requestId: { $regex: `^${prefix}-` } });
  expect(stored.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort());
}

describe("a request id is recorded once", () => {
  it("within a batch, and the later ones are counted", async () => {
    const ids = ["in-1", "in-2", "in-1", "in-1", "in-3"];
    const answer = await nodes[0].ok("/ingest", { events: ids.map(event) });
    expect(answer).toEqual({ accepted: 3, duplicates: 2, rejected: [] });
    await expectOnce("in", ["in-1", "in-2", "in-3"]);
  });

  it("when the whole batch is sent again, to whichever node, in part or with others", async () => {
    const ids = idsOf("again", 1_000);
    const send = (node: TestService, sent: string[]) => node.ok("/ingest", { events: sent.map(event) });
    expect(await send(nodes[0], ids)).toMatchObject({ accepted: 1_000, duplicates: 0 });
    for (const node of nodes) expect(await send(node, ids)).toMatchObject({ accepted: 0, duplicates: 1_000 });
    const others = [...ids.slice(500), ...idsOf("again-new", 400)];
    expect(await send(nodes[1], others)).toMatchObject({ accepted: 400, duplicates: 500 });
    await expectOnce("again", [...ids, ...idsOf("again-new", 400)]);
  });

  it("when two nodes get it at once, in batches that overlap, in whatever order", async () => {
    const ids = idsOf("both", 600);
    let accepted = 0;
    const calls = range(40).map(async (call) => {
      const sent = range(60).map((index) => ids[(call * 37 + index * (call % 2 === 0 ? 1 : 599)) % 600] ?? "");
      const answer = await (nodes[call % 2] ?? nodes[0]).ok("/ingest", { events: sent.map(event) });
      expect(answer.accepted + answer.duplicates).toBe(60);
      accepted += answer.accepted;
    });
    await Promise.all(calls);
    expect(accepted).toBe(600);
    await expectOnce("both", ids);
  });

  it("in calls of one event at once, whose answers differ in one accepted", async () => {
    const answers = await Promise.all(
      range(40).map((call) => (nodes[call % 2] ?? nodes[0]).ok("/ingest", { events: [event("one-0")] })),
    );
    expect(answers.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
    expect(answers.filter(({ duplicates }) => duplicates === 1)).toHaveLength(39);
    await expectOnce("one", ["one-0"]);
  });

  it("for 24 hours, whether or not the record was cleared up, and anew after them", async () => {
    const later = openLaterNodes(nodes[0]);
    const send = async (node: TestService, ids: string[]) => {
      const { accepted, duplicates } = await node.ok("/ingest", { events: ids.map(event) });
      return [accepted, duplicates];
    };
    expect(await send(nodes[0], ["day-0", "day-1"])).toEqual([2, 0]);
    const before = await later.after(24 * HOUR_MS - MARGIN_MS);
    expect(await send(before, ["day-0"])).toEqual([0, 1]);
    const after = await later.after(24 * HOUR_MS + MARGIN_MS);
    expect(await send(after, ["day-0", "day-1", "day-2"])).toEqual([3, 0]);
    expect(await send(after, ["day-0", "day-1", "day-2"])).toEqual([0, 3]);
    await later.stop();
    await expectOnce("day", ["day-0", "day-0", "day-1", "day-1", "day-2"]);
  });
});

describe("what is recorded", () => {
  const ingested = () => reader.db.collection<IngestedEntry>("ingested");

  it("by a version that kept events apart from their ids counts for 24 hours, and expires as it did", async () => {
    const [{ projectId } = { projectId: "" }] = await reader.find({ requestId: "in-1" });
    const earlier = (requestId: string, at: Date) => ({ projectId, at, requestIds: [requestId] });
    const nowMs = Date.now();
    await reader.db
      .collection("ingested")
      .insertMany([
        earlier("earlier-0", new Date(nowMs - HOUR_MS)),
        earlier("earlier-1", new Date(nowMs - 24 * HOUR_MS - MARGIN_MS)),
      ]);
    const answer = await nodes[0].ok("/ingest", { events: idsOf("earlier", 3).map(event) });
    expect(answer).toMatchObject({ accepted: 2, duplicates: 1 });
    await expectOnce("earlier", ["earlier-1", "earlier-2"]);
    const indexes = await ingested().indexes();
    expect(indexes.find(({ name }) => name === "expiry")).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 86_400 });
  });

  it("is kept for as long as it waits to be drained, also longer than 24 hours, and its ids count", async () => {
    const stopDraining = { $set: { holder: "nobody", until: new Date(Date.now() + HOUR_MS) }, $inc: { fence: 1 } };
    const states = reader.db.collection<{ _id: string }>("settings");
    await states.updateOne({ _id: INGESTED.state }, stopDraining);
    await nodes[0].ok("/ingest", { events: idsOf("waits", 2).map(event) });
    const [waiting] = await ingested().find({ requestIds: "waits-0" }).toArray();
    expect(waiting).toMatchObject({ kind: "traffic", count: 2, requestIds: ["waits-0", "waits-1"] });
    // Not before the database would keep it for ever.
    expect(waiting?.at.getTime()).toBeGreaterThan(Date.now() + 365 * 24 * HOUR_MS);
    const longAgo = new Date(Date.now() - 48 * HOUR_MS);
    await ingested().updateOne({ requestIds: "waits-0" }, { $set: { writtenAt: longAgo } });
    const answer = await nodes[1].ok("/ingest", { events: idsOf("waits", 3).map(event) });
    expect(answer).toMatchObject({ accepted: 1, duplicates: 2 });
    expect(await ingested().countDocuments({ requestIds: "waits-0", kind: "traffic" })).toBe(1);
    await states.updateOne({ _id: INGESTED.state }, { $set: { until: new Date(0) } });
    await expectOnce("waits", idsOf("waits", 3));
  });

  it("keeps nothing of events that are drained but their ids, from then on for 24 hours", async () => {
    const before = Date.now();
    await nodes[0].ok("/ingest", { events: idsOf("kept", 3).map(event) });
    await expectOnce("kept", idsOf("kept", 3));
    const [drained] = await ingested().find({ requestIds: "kept-0" }).toArray();
    expect(Object.keys(drained ?? {}).sort()).toEqual(["_id", "at", "projectId", "requestIds", "writtenAt"]);
    expect(drained?.requestIds).toEqual(idsOf("kept", 3));
    expect(Math.abs((drained?.at.getTime() ?? 0) - before)).toBeLessThan(MARGIN_MS);
  });
});

it("an event without an id is another one each time", async () => {
  const anonymous = { ...event(""), userAgent: "anonymous" };
  for (const node of nodes) {
    expect(await node.ok("/ingest", { events: [anonymous, anonymous] })).toMatchObject({ accepted: 2, duplicates: 0 });
  }
  expect(await reader.find({ userAgent: "anonymous" })).toHaveLength(4);
});
