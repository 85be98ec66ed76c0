import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { readConfig } from "../../src/config.ts";
import { startEmbeddedMongod } from "../../src/mongod/start-embedded-mongod.ts";

declare module "vitest" {
  interface ProvidedContext {
    mongodbUri: string;
  }
}

/** Starts one real MongoDB for all test files; KEYSVC_MONGODB_URI selects one of your own. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const config = readConfig({ ...process.env, KEYSVC_SECRET: "a secret for the tests" });
  if (config.mongodbUri !== undefined) {
    project.provide("mongodbUri", config.mongodbUri);
    return undefined;
  }
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-test-"));
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const mongod = await startEmbeddedMongod({ ...config, dataDir, report });
  project.provide("mongodbUri", mongod.uri);
  return async () => {
    await mongod.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
