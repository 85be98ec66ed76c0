import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";

const CALLERS = 32;
const LIMIT = 1_000_000;
let service: ServiceProcess | undefined;
afterEach(async () => {
  await service?.stop("SIGKILL");
});

function settings(uri: string): Record<string, string> {
  return { KEYSVC_MONGODB_URI: uri, KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET };
}

const ok = async (url: string, path: string, body: object) => (await postJson(url + path, body, PROJECT_KEY)).body;

describe.each(["SIGTERM", "SIGINT"] as const)("%s under load", (signal) => {
  it("loses no answered verdict, charges nothing twice, and exits 0 within 10 s", async () => {
    const uri = freshDatabaseUri();
    service = await startProcess(settings(uri));
    const { url } = service;
    const { consumerId } = await ok(url, "/consumer/create", { credits: { limit: LIMIT } });
    const { key } = await ok(url, "/key/create", { consumerId });
    let granted = 0;
    let broken = 0;
    const caller = async () => {
      try {
        for (;;) {
          const { code } = await ok(url, "/key/validate", { key });
          if (code === "VALID") granted += 1;
        }
      } catch {
        // The port is closed, or the connection was before the call was read.
        broken += 1;
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    await expect.poll(() => granted, { timeout: 20_000 }).toBeGreaterThan(CALLERS);
    await sleep(500);
    const start = performance.now();
    expect(await service.stop(signal)).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
    await Promise.all(callers);

    const again = await startProcess(settings(uri));
    try {
      const { credits } = await ok(again.url, "/consumer/details", { consumerId });
      // Each caller ends with one broken call; nothing else may be missing.
      expect(broken).toBe(CALLERS);
      expect(credits.used).toBe(granted);
    } finally {
      await again.stop("SIGTERM");
    }
  });
});
