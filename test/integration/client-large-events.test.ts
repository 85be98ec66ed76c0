import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KeysvcClient } from "../../clients/typescript/src/index.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, SECRET } from "../harness/service.ts";

const ROUNDS = 5;
/** A hundred of them are twice what a call takes. */
const EVENT = { method: "POST", path: "/large", statusCode: 200, requestBody: "x".repeat(330_000) };
const EVENTS = 100;

let folder: string;
// In a process of its own: in one with the client, both take turns, and nothing races.
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keysvc-large-"));
  service = await startProcess({
    ...{ KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_DATA_DIR: folder },
    ...{ KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET },
  });
});
afterAll(async () => {
  await service.stop("SIGTERM");
  await rm(folder, { recursive: true });
});

it("a batch of events that is too large for a call is halved by the client, and none is lost", async () => {
  const errors: unknown[] = [];
  const onError = (event: unknown) => errors.push(event);
  const client = new KeysvcClient({ baseURL: service.url, projectKey: PROJECT_KEY, onError, timeoutMs: 20_000 });
  for (let round = 0; round < ROUNDS; round++) {
    client.ingest(...Array<typeof EVENT>(EVENTS).fill(EVENT));
    await client.flush();
  }
  await client.close();
  expect([client.dropped, errors]).toEqual([0, []]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain(`keysvc_ingest_events_total{result="accepted"} ${ROUNDS * EVENTS}\n`);
});
