import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IngestService } from "../../gen/keysvc/v1/ingest_pb.js";
import { openClients } from "../harness/clients.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { openTrafficReader, type TrafficReader } from "../harness/traffic-reader.ts";
import { callAll, expectSameResponse } from "./compare.ts";

let service: TestService;
let open: ReturnType<typeof openClients>;
let reader: TrafficReader;
beforeAll(async () => {
  service = await startService();
  open = openClients(service);
  reader = await openTrafficReader(service);
});
afterAll(async () => {
  open.close();
  await reader.close();
  await service.close();
});

const LEAST = { method: "GET", path: "/v1", statusCode: 200 };
const { ingest } = IngestService.method;

describe("in every protocol", () => {
  it("a bad event is rejected alone, for the same reason, and an id is recorded once", async () => {
    let clients = 0;
    const request = async () => {
      const requestId = `client-${++clients}`;
      const event = { ...LEAST, requestId, tsUnix: Math.floor(Date.now() / 1_000), latencyMs: 0.25 };
      const bad = [
        ...[{ ...LEAST, statusCode: 600 }, { ...LEAST, latencyMs: -1 }, { ...LEAST, consumerId: "a\0" }, {}],
        ...[
          { ...LEAST, timestamp: "soon" },
          { ...LEAST, requestHeaders: "[]" },
        ],
      ];
      return { events: [event, ...bad, event] };
    };
    const answer = expectSameResponse(await callAll(open.clients, ingest, request, PROJECT_KEY), {});
    expect(answer).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(answer.rejected).toMatchObject([1, 2, 3, 4, 5, 6].map((index) => ({ index })));
    const stored = await reader.find({ requestId: { $regex: "^client-" } });
    expect(stored).toHaveLength(open.clients.length);
    for (const { latencyMs, endpoint } of stored) expect([latencyMs, endpoint]).toEqual([0.25, "/v1"]);
  });

  it("the same id sent by all at once is recorded once", async () => {
    const request = { events: [{ ...LEAST, requestId: "shared" }] };
    const outcomes = await callAll(open.clients, ingest, request, PROJECT_KEY);
    const accepted = [...outcomes.values()].map((outcome) => outcome.ok && outcome.response.accepted);
    expect(accepted.filter((count) => count === 1)).toHaveLength(1);
    expect(await reader.find({ requestId: "shared" })).toHaveLength(1);
  });
});

it("what a protocol's own reader cannot read refuses the whole call, but on the JSON path", async () => {
  const unreadable = `{"events":[{"method":"GET","path":"\\ud800","statusCode":"x"},${JSON.stringify(LEAST)}]}`;
  const answer = await service.ok("/ingest", unreadable);
  expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 0, message: "statusCode: must be a number" }] });
  const connect = await service.call(`/${IngestService.typeName}/Ingest`, unreadable);
  expect([connect.status, connect.body.code]).toEqual([400, "invalid_argument"]);
});
