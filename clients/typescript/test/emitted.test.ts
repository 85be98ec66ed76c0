import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const TSC = join(ROOT, "node_modules/.bin/tsc");
let folder: string;

beforeAll(() => {
  // Below node_modules, so that what is emitted finds the packages that it imports.
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "keysvc-client-"));
  execFileSync(TSC, ["--project", "clients/typescript", "--outDir", folder], { cwd: ROOT, stdio: "inherit" });
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a module loads, itself and all that it imports: files below the folder, and names of packages. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const text = readFileSync(join(folder, file), "utf8");
  for (const [, target = ""] of text.matchAll(/^(?:import|export)\s(?:[^;"']*\sfrom\s)?["']([^"']+)["'];/gm)) {
    if (target.startsWith(".")) loadedBy(join(dirname(file), target), loaded);
    else loaded.add(target);
  }
  return loaded;
}

const packagesOf = (file: string) => [...loadedBy(file)].filter((name) => !name.endsWith(".js"));

describe("what is published", () => {
  it("has a client that needs no package and nothing of Node, and brings no middleware", () => {
    expect(packagesOf("src/index.js")).toEqual([]);
    const files = [...loadedBy("src/index.js")];
    expect(files).toContain("src/connection.js");
    expect(files.filter((file) => file.includes("middleware"))).toEqual([]);
  });

  it("has a middleware for Hono that needs nothing of Node", () => {
    expect(packagesOf("src/hono.js")).toEqual(["hono/route"]);
  });

  it("has types of the client and of Hono's middleware that need none of Node's", () => {
    const texts = ["index", "hono", "keysvc-client", "connection", "middleware/hono-call", "middleware/guard"].map(
      (name) => readFileSync(join(folder, `src/${name}.d.ts`), "utf8"),
    );
    expect(texts.join("\n")).not.toMatch(/node:|NodeJS|Buffer\b|types="node"/);
  });

  it("has middleware for Fastify, Express and node:http that needs no package at run time", () => {
    const packages = ["fastify", "express", "node"].flatMap((name) => packagesOf(`src/${name}.js`));
    expect(packages.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  it("runs", async () => {
    const { KeysvcClient } = await import(pathToFileURL(join(folder, "src/index.js")).href);
    const client = new KeysvcClient({ projectKey: "k", fetch: async () => Response.json({ plans: [] }) });
    expect(await client.plan.list()).toEqual({ plans: [] });
  });

  it("lets a process end that has forgotten to close it, also while events wait", () => {
    const program = `
      import { KeysvcClient } from "./src/index.js";
      const client = new KeysvcClient({ projectKey: "k", fetch: () => new Promise(() => {}) });
      for (let n = 0; n < 150; n++) client.ingest({ method: "GET", path: "/", statusCode: 200 });
    `;
    writeFileSync(join(folder, "forgets.js"), program);
    expect(execFileSync(process.execPath, [join(folder, "forgets.js")], { encoding: "utf8" })).toBe("");
  });

  it("lets a process that closes it wait until events were sent, pauses between tries included", () => {
    const program = `
      import { KeysvcClient } from "./src/index.js";
      let tries = 0;
      const fetch = async () => (++tries < 3 ? new Response("", { status: 503 }) : Response.json({ rejected: [] }));
      const client = new KeysvcClient({ projectKey: "k", fetch });
      client.ingest({ method: "GET", path: "/", statusCode: 200 });
      await client.close();
      console.log(tries, client.dropped);
    `;
    writeFileSync(join(folder, "closes.js"), program);
    expect(execFileSync(process.execPath, [join(folder, "closes.js")], { encoding: "utf8" })).toBe("3 0\n");
  });

  it("has types that a program of others can be compiled with", () => {
    const program = `
      import { createServer } from "node:http";
      import express, { type Request } from "express";
      import fastify from "fastify";
      import { Hono } from "hono";
      import { KeysvcClient, type VerificationResult } from "./src/index.js";
      import { keysvcGuard as expressGuard } from "./src/express.js";
      import { keysvcGuard as fastifyGuard } from "./src/fastify.js";
      import { keysvcGuard as honoGuard, type KeysvcVariables } from "./src/hono.js";
      import { decisionOf, keysvcGuard as nodeGuard } from "./src/node.js";
      const client = new KeysvcClient({ projectKey: "k" });
      const verdict: Promise<VerificationResult> = client.verify("sk_1");
      export const id: Promise<string> = client.consumer.create({ name: "Acme" }).then((made) => made.consumerId);
      express().use(expressGuard<Request>({ apiId: "api_1", client, creditsResolver: ({ raw }) => Number(raw.params.cost) }));
      await fastify().register(fastifyGuard, { apiId: "api_1", pathResolver: ({ raw }) => raw.routeOptions.url });
      new Hono<{ Variables: KeysvcVariables }>()
        .use(honoGuard({ apiId: "api_1" }))
        .get("/", (c) => c.text(c.get("keysvc.decision")?.requestId ?? ""));
      createServer(nodeGuard({ apiId: "api_1" }).handler((request, response) => response.end(decisionOf(request)?.requestId)));
      // @ts-expect-error: an API must be named
      nodeGuard({});
      // @ts-expect-error: a change is never made again
      client.plan.create({ name: "x" }, { retries: 1 });
      export { verdict };
    `;
    writeFileSync(join(folder, "program.ts"), program);
    const options = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--noEmit", "--target", "es2023"];
    const target = ["--module", "nodenext", "--types", "node", join(folder, "program.ts")];
    const run = () => execFileSync(TSC, ["--ignoreConfig", ...options, ...target], { cwd: folder, encoding: "utf8" });
    expect(outputOf(run)).toBe("");
  }, 60_000);
});

/** What a compiler says, whether or not it fails. */
function outputOf(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}
