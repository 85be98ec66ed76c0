import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeService, startFakeService } from "./fake-service.ts";

const EXAMPLES = join(import.meta.dirname, "../examples");
const KEY = "sk_0123456789abcdef";
const VERDICT = {
  valid: true,
  code: "VALID",
  requestId: "req_1",
  consumer: { consumerId: "consumer_1", name: "Acme" },
};

let fake: FakeService;
let running: ChildProcess | undefined;
beforeEach(async () => {
  fake = await startFakeService({ verdict: VERDICT });
});
afterEach(async () => {
  running?.kill("SIGKILL");
  running = undefined;
  await fake.close();
});

/** Starts an example, and gives the port that it prints. */
async function start(name: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(EXAMPLES, `${name}.ts`)], {
    env: { ...process.env, KEYSVC_BASE_URL: fake.url, KEYSVC_PROJECT_KEY: "project-key", PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running = child;
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: `http://127.0.0.1:${JSON.parse(line).port}`, child };
  }
  throw new Error(`${name} printed nothing`);
}

describe("the example of", () => {
  it.each(["node", "express", "fastify", "hono"])(
    "%s greets who has a key, and records all when it is stopped",
    async (name) => {
      const { url, child } = await start(name);
      const headers = name === "fastify" ? { "x-api-key": KEY } : { authorization: `Bearer ${KEY}` };
      const greeted = await fetch(`${url}/hello/Ann`, { headers: { ...headers, connection: "close" } });
      expect([greeted.status, await greeted.text()]).toEqual([200, expect.stringContaining("Acme")]);
      const denied = await fetch(`${url}/hello/Ann`, { headers: { connection: "close" } });
      expect([denied.status, await denied.json()]).toEqual([401, expect.objectContaining({ code: "MISSING_KEY" })]);
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      expect(code).toBe(0);
      expect(fake.events).toMatchObject([{ statusCode: 200, requestId: "req_1" }, { statusCode: 401 }]);
      if (name !== "node") expect(fake.events[0]).toMatchObject({ endpoint: "/hello/:name", path: "/hello/Ann" });
    },
  );

  it("the client ends in an error that tells what is wrong", async () => {
    await fake.close();
    const child = spawn(process.execPath, [join(EXAMPLES, "client.ts")], {
      env: { ...process.env, KEYSVC_BASE_URL: fake.url, KEYSVC_PROJECT_KEY: "project-key" },
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    // Not "exit", after which there may be more that it said.
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([1, expect.stringContaining("TransportError")]);
    expect(said).not.toContain("project-key");
  });
});
