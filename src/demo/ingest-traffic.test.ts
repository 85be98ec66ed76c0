import { expect, it } from "vitest";
import { ingestTraffic } from "./ingest-traffic.ts";
import type { TrafficEvent } from "./traffic-event.ts";

const events = Array.from(
  { length: 2_001 },
  (_, index): TrafficEvent => ({
    ...{ requestId: `id_${index}`, timestamp: index, method: "GET", path: "/", statusCode: 200, clientIp: "192.0.2.1" },
  }),
);

it("every event is sent once, in batches that /ingest takes, and the answers are added up", async () => {
  const batches: TrafficEvent[][] = [];
  const post = (_path: string, body: object) => {
    const { events: sent } = body as { events: TrafficEvent[] };
    batches.push(sent);
    // The last of each batch is refused, the one before it was there.
    const rejected = [{ index: sent.length - 1, message: "too old" }];
    const duplicates = Math.min(1, sent.length - 1);
    return Promise.resolve({ accepted: sent.length - 1 - duplicates, duplicates, rejected });
  };
  // Stands for answers of one path alone.
  const outcome = await ingestTraffic({ post: post as never }, events, new AbortController().signal);
  expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
  expect(batches.flat()).toEqual(events);
  expect(outcome).toEqual({
    accepted: 1_996,
    duplicates: 2,
    rejected: ["id_999", "id_1999", "id_2000"].map((requestId) => ({ requestId, message: "too old" })),
  });
});
