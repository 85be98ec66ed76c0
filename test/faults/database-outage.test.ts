import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { type EmbeddedMongod, startEmbeddedMongod } from "../../src/mongod/start-embedded-mongod.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";
import { watchStalls } from "../harness/watch-stalls.ts";

const ANSWER_MAX_MS = 3_000;
const RECOVERY_MAX_MS = 20_000;
let dataDir: string;
let mongod: EmbeddedMongod;
let service: TestService;
let key: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-outage-"));
  mongod = await startEmbeddedMongod({ ...readConfig(process.env), dataDir, report: () => undefined });
  service = await startService({ KEYSVC_MONGODB_URI: mongod.uri });
  ({ key } = await createConsumerWithKey(service, { credits: { limit: 1_000 } }));
});
afterAll(async () => {
  await service.app.stop();
  await mongod.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe("a database that stops answering", () => {
  it("is 503 with Retry-After within 3 s, for every caller, and validates again once it is back", async () => {
    process.kill(mongod.pid, "SIGSTOP");
    try {
      const stalled = watchStalls();
      const calls = Array.from({ length: 64 }, async () => {
        const start = performance.now();
        const answer = await service.call("/key/validate", { key });
        return { answer, elapsedMs: performance.now() - start };
      });
      const answers = await Promise.all(calls);
      const stalledMs = stalled();
      for (const { answer, elapsedMs } of answers) {
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        expect(elapsedMs - stalledMs).toBeLessThan(ANSWER_MAX_MS);
        expect(JSON.stringify(answer.body)).not.toMatch(/mongo|127\.0\.0\.1|ECONN/i);
      }
    } finally {
      process.kill(mongod.pid, "SIGCONT");
    }
    await expect
      .poll(async () => (await service.call("/key/validate", { key, credits: 0 })).status, {
        timeout: RECOVERY_MAX_MS,
      })
      .toBe(200);
    const { credits } = await service.ok("/key/validate", { key, credits: 0 });
    // What was under way may have been charged, and no more than that.
    expect(credits.used).toBeLessThanOrEqual(64);
  });
});
