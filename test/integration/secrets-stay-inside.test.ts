import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import { openClients } from "../harness/clients.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { ADMIN_KEY, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";

const SAID = "sk_a_value_that_only_callers_have_said";
let dataDir: string;
let service: ServiceProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-secrets-"));
  service = await startProcess({
    KEYSVC_DATA_DIR: dataDir,
    KEYSVC_ADMIN_KEY: ADMIN_KEY,
    KEYSVC_PROJECT_KEY: PROJECT_KEY,
    KEYSVC_SECRET: SECRET,
    KEYSVC_LOG_LEVEL: "trace",
  });
});
afterAll(async () => {
  await service.stop("SIGTERM");
  await rm(dataDir, { recursive: true, force: true });
});

it("whatever is called, over every protocol: no secret is in log, metrics or process list, and no body in log or metrics", async () => {
  const call = (path: string, body: unknown, credential = PROJECT_KEY) =>
    postJson(service.url + path, body, credential);
  const { consumerId } = (await call("/consumer/create", { name: SAID, metadata: { note: SAID } })).body;
  const { key } = (await call("/key/create", { consumerId, name: SAID })).body;
  const { projectKey } = (await call("/project/create", { name: "other" }, ADMIN_KEY)).body;
  const request: JsonObject = { ...{ key, consumerId, name: SAID, apiId: SAID, keyId: SAID, planId: SAID } };
  const opened = openClients({ url: service.url, grpcAddress: `127.0.0.1:${service.grpcPort}` });
  for (const { path, scope, streaming } of methods) {
    if (streaming) continue;
    const credential = scope === "operator" ? ADMIN_KEY : PROJECT_KEY;
    await call(path, request, credential);
    await call(path, { [SAID]: SAID }, credential);
    await call(path, `{"key":"${key}`, credential);
    await call(path, { key }, SAID);
  }
  const validate = methods.find(({ path }) => path === "/key/validate");
  if (validate === undefined) throw new Error("no /key/validate");
  for (const client of opened.clients) {
    await client.call(validate.rpc, { key }, PROJECT_KEY);
    await client.call(validate.rpc, { key: SAID }, PROJECT_KEY);
    await client.call(validate.rpc, { key }, SAID);
  }
  opened.close();
  await fetch(`${service.url}/${SAID}?key=${key}`, { headers: { cookie: SAID, "x-api-key": key, authorization: key } });
  await fetch(`${service.url}/key/validate?key=${key}`, { method: "POST", body: SAID });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const processes = await commandLines(service.child.pid ?? 0);
  const embedded = await readFile(join(dataDir, "mongod", "password"), "utf8");
  await service.stop("SIGTERM");
  const log = service.output();
  expect(log).toContain('"path":"/key/validate"');
  expect(processes.join(" ")).toContain("--replSet");
  const secrets = [key, projectKey, ADMIN_KEY, PROJECT_KEY, SECRET, embedded.trim()];
  for (const secret of secrets) {
    expect(log).not.toContain(secret);
    expect(metrics).not.toContain(secret);
    expect(processes.join("\n")).not.toContain(secret);
  }
  expect(log).not.toContain(SAID);
  expect(metrics).not.toContain(SAID);
});

/** What a process list shows of a process and all that it has started, to every user of the machine. */
async function commandLines(pid: number): Promise<string[]> {
  const read = (of: string, file: string) => readFile(`/proc/${of}/${file}`, "utf8").catch(() => "");
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = new Map<string, number>();
  for (const one of all) parents.set(one, Number(/^PPid:\s*(\d+)/m.exec(await read(one, "status"))?.[1] ?? 0));
  const family = new Set([String(pid)]);
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const [one, parent] of parents) if (family.has(String(parent))) family.add(one);
  }
  return Promise.all([...family].map(async (one) => (await read(one, "cmdline")).replaceAll("\0", " ")));
}
