import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
let registry: Server | undefined;
afterEach(() => registry?.close());

/** A registry that answers the question for advisories; it has one version of each package. */
async function startRegistry(status: number, advisories: object): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method === "POST") return void response.writeHead(status).end(JSON.stringify(advisories));
    const name = decodeURIComponent(request.url?.slice(1) ?? "");
    const versions = { "1.0.0": { name, version: "1.0.0" } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  registry = server;
  // A TCP server has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function audit(url: string): Promise<{ code: number; output: string }> {
  const cache = await mkdtemp(join(tmpdir(), "keysvc-audit-"));
  const child = spawn(process.execPath, ["release/audit.ts"], {
    cwd: ROOT,
    env: { ...process.env, npm_config_registry: url, npm_config_cache: cache, npm_config_fetch_retries: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  await rm(cache, { recursive: true, force: true });
  return { code, output };
}

const advisory = (severity: string, vulnerable_versions = "*") => ({
  fastify: [{ id: 1, url: "https://example.com/1", title: "a hole", severity, vulnerable_versions }],
});

describe("the audit of dependencies", () => {
  it.each(["high", "critical"])("fails on what is %s, and names it", async (severity) => {
    const { code, output } = await audit(await startRegistry(200, advisory(severity)));
    expect([code, output]).toEqual([1, expect.stringContaining(`${severity}: fastify *`)]);
  });

  it("goes on where nothing serious is known of the versions that are used", async () => {
    const moderate = await audit(await startRegistry(200, advisory("moderate")));
    expect([moderate.code, moderate.output]).toEqual([0, expect.stringContaining("moderate: fastify")]);
    const other = await audit(await startRegistry(200, advisory("critical", "<0.0.1")));
    expect(other).toEqual({ code: 0, output: "== audit: ok, nothing serious is known of the dependencies\n" });
  });

  it("says so where the registry does not answer such questions, and goes on", async () => {
    const { code, output } = await audit(await startRegistry(405, {}));
    expect([code, output]).toEqual([0, expect.stringContaining("NOT done")]);
    const gone = await audit("http://127.0.0.1:1/");
    expect([gone.code, gone.output]).toEqual([0, expect.stringContaining("NOT done")]);
  });
});
