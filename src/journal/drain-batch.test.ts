import { describe, expect, it } from "vitest";
import { TRAFFIC } from "../../test/harness/traffic.ts";
import type { ActivityEvent } from "./activity-event.ts";
import { writeRows } from "./activity-event.ts";
import { piecesOf, withoutPresent } from "./drain-batch.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { writeTrafficRow } from "./traffic-event.ts";

function event(requestId: string, more: Partial<ActivityEvent> = {}): ActivityEvent {
  return {
    ...{ requestId, at: 1_700_000_000_000, code: "VALID", creditsCharged: 1, creditsRemaining: 9, latencyMs: 1 },
    ...{ count: 1, projectId: "project_1", keyId: "key_1", apiKey: "", consumerId: "", consumerName: "", apiId: "" },
    ...{ apiName: "", endpoint: "", method: "", clientIp: "", userAgent: "", country: "", region: "" },
    ...more,
  };
}

function entry(id: string, events: ActivityEvent[]): JournalEntry {
  return { _id: id, kind: "activity", at: new Date(), count: events.length, events: writeRows(events) };
}

function trafficEntry(id: string, requestIds: string[]): JournalEntry {
  const rows = requestIds.map((requestId) => writeTrafficRow({ ...TRAFFIC, requestId }));
  return { _id: id, kind: "traffic", at: new Date(), count: rows.length, events: `[${rows.join(",")}]` };
}

describe("a batch", () => {
  it("is one command, and numbers its events through all entries", () => {
    const pieces = piecesOf([entry("a:1", [event("1"), event("2")]), entry("b:1", [event("3")])]);
    expect(pieces).toMatchObject([
      {
        collection: "key_activity",
        statements: [0, 1, 2],
        documents: ["1", "2", "3"].map((requestId) => ({ requestId })),
      },
    ]);
  });

  it("that is too large for one command is several, which number on", () => {
    const events = Array.from({ length: 3_000 }, (_, index) => event(`${index}`, { userAgent: "x".repeat(8_000) }));
    const pieces = piecesOf([entry("a:1", events)]);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.flatMap(({ statements }) => statements)).toEqual(events.map((_event, index) => index));
    for (const { documents } of pieces) expect(JSON.stringify(documents).length).toBeLessThan(14_000_000);
  });

  it("of nothing is no command", () => {
    expect(piecesOf([])).toEqual([]);
    expect(piecesOf([entry("a:1", [])])).toEqual([]);
  });

  it("of both kinds is a command for each collection, verdicts first, and its numbers go on", () => {
    const pieces = piecesOf([trafficEntry("a:1", ["1", "2"]), entry("a:2", [event("3")]), trafficEntry("a:3", ["4"])]);
    const told = pieces.map(({ collection, documents, statements }) => {
      return [collection, documents.map(({ requestId }) => requestId), statements];
    });
    expect(told).toEqual([
      ["key_activity", ["3"], [0]],
      ["api_traffic", ["1", "2", "4"], [1, 2, 3]],
    ]);
  });

  it("of traffic that is there in part leaves out what is there, by project, request id and time", () => {
    const [piece] = piecesOf([trafficEntry("a:1", ["1", "2"])]);
    const [one] = piece?.documents ?? [];
    if (piece === undefined || one === undefined) throw new Error("no piece");
    expect(withoutPresent(piece, [one])).toMatchObject({ statements: [1], documents: [{ requestId: "2" }] });
    expect(withoutPresent(piece, [{ ...one, at: new Date(1) }]).documents).toHaveLength(2);
    expect(withoutPresent(piece, [{ ...one, projectId: "project_2" }]).documents).toHaveLength(2);
  });

  it("that is there in part leaves out what is there, and the rest keeps its numbers", () => {
    const at = 1_700_000_000_001;
    const [piece] = piecesOf([entry("a:1", [event("1"), event("2"), event("2"), event("2", { at })])]);
    if (piece === undefined) throw new Error("no piece");
    const [one, two] = piece.documents;
    if (one === undefined || two === undefined) throw new Error("no documents");
    const rest = withoutPresent(piece, [one, two]);
    expect(rest).toMatchObject({ statements: [2, 3], documents: [{ requestId: "2" }, { at: new Date(at) }] });
    expect(withoutPresent(piece, piece.documents).documents).toEqual([]);
    expect(withoutPresent(piece, [])).toEqual(piece);
  });
});
