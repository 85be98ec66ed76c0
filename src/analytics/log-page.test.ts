import { expect, it } from "vitest";
import type { EventDocument } from "../journal/drain-batch.ts";
import { readLogPage } from "./log-page.ts";
import type { Snapshot } from "./store.ts";

const AT_MS = Date.UTC(2026, 0, 31, 12);

/** One of several denials given in one millisecond under one id of the caller's. */
function denial(): EventDocument {
  // The parts that lists tell events apart by.
  return {
    ...{ at: new Date(AT_MS), projectId: "project_1", requestId: "mine", code: "NOT_FOUND", statusCode: 401 },
    ...{ latencyMs: 0.1, creditsCharged: 0, creditsRemaining: null, count: 1 },
  } as unknown as EventDocument;
}

it("events of the journal that are alike are each shown", async () => {
  const events = [denial(), denial(), denial()];
  // Nothing is drained: all that is there is in the journal.
  const snapshot: Pick<Snapshot, "list" | "read" | "journaled"> = {
    list: () => Promise.resolve([]),
    read: () => Promise.resolve([]),
    journaled: () => Promise.resolve(events),
  };
  const store = {
    // The page asks for no more than these.
    inSnapshot: <Result>(_series: unknown, look: (snapshot: Snapshot) => Promise<Result>) => look(snapshot as Snapshot),
    findEvents: () => Promise.resolve([]),
  };
  const selection = {
    ...{ projectId: "project_1", source: "key_activity" as const, fromMs: AT_MS, untilMs: AT_MS + 1 },
    ...{ filters: {}, status: "all" as const },
  };
  const first = await readLogPage(store, { selection, after: undefined, size: 2 });
  const second = await readLogPage(store, { selection, after: first.next, size: 2 });
  expect([first.events.length, second.events.length, second.next]).toEqual([2, 1, undefined]);
});
