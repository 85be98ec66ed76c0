import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import type { SessionPool } from "../mongo/session-pool.ts";
import { Compaction } from "./compaction.ts";
import { HOUR_MS } from "./segment.ts";
import type { ListedSegment, SegmentStore } from "./store.ts";

/** Projects that record all the time; with each batch, each of them gets a segment. */
const PROJECTS = 40;

it("looks at the hours of all projects in turn, however much the first of them record", async () => {
  const looks = new Map<string, number>();
  const store: Pick<SegmentStore, "list"> = {
    async list({ projectId }) {
      looks.set(projectId, (looks.get(projectId) ?? 0) + 1);
      return [];
    },
  };
  // It lists nothing, so that nothing else is asked for.
  const options = { store: store as SegmentStore, sessions: {} as SessionPool, nowMs: () => HOUR_MS / 2 };
  const compaction = new Compaction(options);
  const added = Array.from({ length: PROJECTS }, (_, project): ListedSegment => {
    return { _id: new ObjectId(), projectId: `project_${project}`, source: "api_traffic", hour: new Date(0), size: 1 };
  });
  for (let batch = 0; batch < PROJECTS * 10; batch++) {
    compaction.add(added);
    await compaction.step();
  }
  expect(looks.size).toBe(PROJECTS);
  expect(Math.min(...looks.values())).toBeGreaterThan(5);
});
