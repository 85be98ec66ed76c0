import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { examine } from "../../src/doctor/examine.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { findMongod } from "../../src/mongod/find-mongod.ts";
import { freePort, waitUntilListening } from "../../src/mongod/port.ts";
import { startReplicaSet } from "../harness/replica-set.ts";
import { SECRET } from "../harness/service.ts";

const settings = (uri: string) => ({
  ...{ KEYSVC_MONGODB_URI: uri, KEYSVC_SECRET: SECRET, KEYSVC_PORT: "0", KEYSVC_GRPC_PORT: "0" },
});
const problemsOf = (findings: readonly Finding[]) => findings.filter(({ state }) => state === "problem");

it("the doctor finds a replica set good, and tells when no majority of it takes writes", {
  timeout: 120_000,
}, async () => {
  const set = await startReplicaSet();
  try {
    const uri = set.uri("keysvc");
    const healthy = await examine(settings(uri));
    expect(problemsOf(healthy)).toEqual([]);
    expect(healthy).toContainEqual(
      expect.objectContaining({ check: "replica set", state: "ok", message: "faults, 3 members with data" }),
    );
    const primary = await set.primary();
    const others = set.members.filter((member) => member !== primary);
    set.pause(others);
    // While the primary has not noticed, its writes hang; then there is none, also for what is looked at after them.
    const alone = problemsOf(await examine(settings(uri)));
    set.resume(others);
    expect(alone[0]?.check).toMatch(/^(majority writes|database)$/);
  } finally {
    await set.stop();
  }
});

it("the doctor tells that a standalone server does not do, and how to make it a replica set", async () => {
  const { path } = await findMongod({ ...readConfig({ ...process.env, KEYSVC_MONGODB_URI: "" }), report: () => {} });
  const dbPath = await mkdtemp(join(tmpdir(), "keysvc-standalone-"));
  const port = await freePort();
  const place = ["--dbpath", dbPath, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"];
  const child = spawn(path, place, { stdio: "ignore" });
  const exited = once(child, "exit");
  try {
    await waitUntilListening(port, exited);
    const problems = problemsOf(await examine(settings(`mongodb://127.0.0.1:${port}/keysvc`)));
    expect(problems).toContainEqual(
      expect.objectContaining({ check: "replica set", remedy: expect.stringContaining("--replSet") }),
    );
  } finally {
    child.kill("SIGKILL");
    await exited;
    await rm(dbPath, { recursive: true, force: true });
  }
});
