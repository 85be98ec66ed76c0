import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSeededRandom } from "../../src/lib/seeded-random.ts";
import { createProject, type OwnProject } from "../harness/own-project.ts";
import { JournalFeed, type ModelEvent, projectIdOf } from "../harness/random-events.ts";
import { startService, type TestService } from "../harness/service.ts";

const HOUR_MS = 3_600_000;

describe("streams of events", () => {
  const random = createSeededRandom(7);
  let service: TestService;
  let project: OwnProject;
  let client: MongoClient;
  let feed: JournalFeed;
  let events: ModelEvent[];

  beforeAll(async () => {
    service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
    project = await createProject(service);
    client = await MongoClient.connect(service.databaseUri);
    feed = new JournalFeed(client.db(), await projectIdOf(client, project));
    events = await feed.write("api_traffic", 2_500, [Date.now() - 3 * HOUR_MS, Date.now()], random);
    events.sort((one, other) => other.at - one.at || (one.requestId < other.requestId ? -1 : 1));
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  function open(path: string, body: object, accept: string, signal?: AbortSignal): Promise<Response> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${project.projectKey}`, accept };
    return fetch(`${service.url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  }

  it("are, as NDJSON, all events of the query in the order of the log", async () => {
    const answer = await open("/analytics/logs", { source: "api_traffic" }, "application/x-ndjson");
    expect(answer.headers.get("content-type")).toContain("application/x-ndjson");
    const rows = (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ requestId }) => requestId)).toEqual(events.map(({ requestId }) => requestId));
    const page = await project.ok("/analytics/logs", { source: "api_traffic", pageSize: 200 });
    expect(rows.slice(0, 200)).toEqual(page.rows);
  });

  it("are, as CSV, a header and a line for each event that the filters let pass, and none that a spreadsheet would run", async () => {
    const body = { source: "api_traffic", filters: { endpoint: ["/=1+1", "/v1/a"] }, statusFilter: "error" };
    const answer = await open("/analytics/logs", body, "text/csv");
    const lines = (await answer.text()).trimEnd().split("\r\n");
    const wanted = events.filter(
      ({ endpoint, statusCode }) => ["/=1+1", "/v1/a"].includes(endpoint) && statusCode >= 400,
    );
    expect(lines[0]?.split(",").slice(0, 3)).toEqual(["requestId", "timestamp", "tsUnix"]);
    expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(wanted.map(({ requestId }) => requestId));
    expect(lines.some((line) => /(^|,)[=+@]/.test(line))).toBe(false);
  });

  it("refuse what a page would refuse, before the first row, and what only a page has", async () => {
    const answers = await Promise.all([
      open("/analytics/logs", { source: "api_traffic", pageSize: 3 }, "text/csv"),
      open("/analytics/logs", { source: "nothing" }, "application/x-ndjson"),
      open("/analytics/logs", { source: "api_traffic", startTime: "2026-01-02T00:00:00Z" }, "text/csv"),
    ]);
    const errors = await Promise.all(
      answers.map(async (answer) => [
        answer.status,
        ((await answer.json()) as { errors: { field: string }[] }).errors[0]?.field,
      ]),
    );
    expect(errors).toEqual([
      [400, "pageSize"],
      [400, "source"],
      [400, "endTime"],
    ]);
  });

  it("follow what is recorded from the moment at which they are open, and nothing else", async () => {
    const leave = new AbortController();
    const body = { source: "key_activity", statusFilter: "error" };
    const answer = await open("/analytics/logs/tail", body, "text/event-stream", leave.signal);
    expect(answer.status).toBe(200);
    const recorded = await feed.write("key_activity", 40, [Date.now() - 10_000, Date.now()], random);
    await feed.write("api_traffic", 5, [Date.now() - 10_000, Date.now()], random);
    const denied = await project.ok("/key/validate", { key: "none of ours, but long enough" });
    const wanted = [
      ...recorded.filter(({ statusCode }) => statusCode >= 400).map(({ requestId }) => requestId),
      denied.requestId,
    ];
    const seen: string[] = [];
    let text = "";
    const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    while (seen.length < wanted.length) {
      const { value = "", done } = await reader.read();
      if (done) break;
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts)
        if (part.startsWith("data: ")) seen.push(JSON.parse(part.slice("data: ".length)).requestId);
    }
    leave.abort();
    expect(seen).toEqual(wanted);
    await sleep(50);
  });
});
