import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { createSeededRandom } from "../../src/lib/seeded-random.ts";
import { createProject } from "../harness/own-project.ts";
import { expectProblem } from "../harness/problem.ts";
import { JournalFeed, projectIdOf } from "../harness/random-events.ts";
import { startService } from "../harness/service.ts";

const DAY_MS = 24 * 3_600_000;
const RETENTION_DAYS = 7;

it("an event that is older than what is kept is not accepted, and in no answer: neither figures, log nor detail", async () => {
  const service = await startService({ KEYSVC_RETENTION_DAYS: String(RETENTION_DAYS) });
  const client = await MongoClient.connect(service.databaseUri);
  const project = await createProject(service);
  const oldMs = Date.now() - (RETENTION_DAYS + 1) * DAY_MS;
  const keptMs = Date.now() - (RETENTION_DAYS - 1) * DAY_MS;
  const sent = (requestId: string, timestamp: number) => ({
    ...{ requestId, timestamp, method: "GET", path: "/", statusCode: 200 },
  });
  expect(await project.ok("/ingest", { events: [sent("old", oldMs), sent("kept", keptMs)] })).toEqual({
    ...{ accepted: 1, duplicates: 0 },
    rejected: [{ index: 0, message: "timestamp: must be at most 7 days old" }],
  });
  // One that became as old meanwhile.
  const feed = new JournalFeed(client.db(), await projectIdOf(client, project));
  const [aged] = await feed.write("api_traffic", 1, [oldMs, oldMs + 1], createSeededRandom(1));
  const window = { source: "api_traffic", startTime: new Date(oldMs - DAY_MS), endTime: new Date() };
  expect((await project.ok("/analytics/stats", window)).stats.totalRequests).toBe(1);
  const { total, rows } = await project.ok("/analytics/logs", window);
  expect({ total, rows }).toMatchObject({ total: 1, rows: [{ requestId: "kept" }] });
  const detailOf = (requestId: string | undefined, timestamp: number) =>
    project.call("/analytics/logs/detail", { requestId, timestamp });
  expect((await detailOf("kept", keptMs)).body).toMatchObject({ apiLog: { requestId: "kept" } });
  expectProblem(await detailOf(aged?.requestId, oldMs), 404, "not_found");
  await client.close();
  await service.close();
});
