import { expect, it } from "vitest";
import type { ActivityDocument } from "../journal/activity-document.ts";
import type { EventDocument } from "../journal/drain-batch.ts";
import type { TrafficDocument } from "../journal/traffic-document.ts";
import { readDetail } from "./detail.ts";

const EDGE = 1_767_225_600_000;
const SECOND_MS = 1_000;

/** What is drained of a request; nothing waits in the journal. */
function storeOf(verdictAtMs: number, servedAtMs: number): Parameters<typeof readDetail>[0] {
  // Nothing else is looked at.
  const verdict = { requestId: "req_1", at: new Date(verdictAtMs), code: "VALID" } as ActivityDocument;
  const served = { requestId: "req_1", at: new Date(servedAtMs) } as TrafficDocument;
  const events: Record<string, EventDocument> = { key_activity: verdict, api_traffic: served };
  return {
    inSnapshot: (_series, read) => read({ journaled: async () => [] } as unknown as Parameters<typeof read>[0]),
    async findRequest({ source }, _requestId, { fromMs, untilMs }) {
      const event = events[source];
      const isWithin = event !== undefined && event.at.getTime() >= fromMs && event.at.getTime() < untilMs;
      return isWithin ? [event] : [];
    },
  };
}

async function found(verdictAtMs: number, servedAtMs: number, fromMs: number): Promise<string[]> {
  const slice = { projectId: "project_1", requestId: "req_1", fromMs, untilMs: fromMs + SECOND_MS };
  const detail = await readDetail(storeOf(verdictAtMs, servedAtMs), { ...slice, keptFromMs: EDGE, source: undefined });
  return Object.entries(detail).flatMap(([source, event]) => (event === undefined ? [] : [source]));
}

it.each<[title: string, verdictAtMs: number, servedAtMs: number, found: string[]]>([
  ["both, at the edge and after it", EDGE, EDGE + 3_000, ["api_traffic", "key_activity"]],
  ["the validation alone where the call is older", EDGE, EDGE - 1, ["key_activity"]],
  ["the call alone where the validation is older, by minutes too", EDGE - 60_000, EDGE, ["api_traffic"]],
  ["nothing where both are older", EDGE - 1, EDGE - 1, []],
])("a detail shows no event that is older than what is kept: %s", async (_title, verdictAtMs, servedAtMs, expected) => {
  // The second that has the edge within it, or ends there.
  const slices = [EDGE - 500, EDGE - SECOND_MS];
  const [around, before] = await Promise.all(slices.map((fromMs) => found(verdictAtMs, servedAtMs, fromMs)));
  expect(around).toEqual(expected);
  expect(before).toEqual([]);
});
