import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { ADMIN_KEY, freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";

let service: ServiceProcess;
beforeAll(async () => {
  service = await startProcess({
    KEYSVC_MONGODB_URI: freshDatabaseUri(),
    KEYSVC_ADMIN_KEY: ADMIN_KEY,
    KEYSVC_PROJECT_KEY: PROJECT_KEY,
    KEYSVC_SECRET: SECRET,
    KEYSVC_LOG_LEVEL: "trace",
  });
});
afterAll(() => service.stop("SIGTERM"));

it("no key, credential, secret or body is ever in the log, at any level", async () => {
  const call = (path: string, body: unknown, credential = PROJECT_KEY) =>
    postJson(service.url + path, body, credential);
  const body = "a name that only a body has";
  const { consumerId } = (await call("/consumer/create", { name: body, credits: { limit: 1 } })).body;
  const { key } = (await call("/key/create", { consumerId })).body;
  const { projectKey } = (await call("/project/create", { name: "other" }, ADMIN_KEY)).body;
  await call("/key/validate", { key });
  await call("/key/validate", { key });
  await call("/key/validate", { key, bogus: body });
  await call("/key/validate", `{"key":"${key}"`);
  await call(`/nope?key=${key}`, { key });
  await call("/key/validate", { key }, "wrong-credential-of-a-caller");
  await call(`/keysvc.v1.KeyService/Validate`, `{"key":${key}}`);
  await service.stop("SIGTERM");
  const output = service.output();
  expect(output).toContain('"msg":"stopped"');
  const secrets = [key, projectKey, ADMIN_KEY, PROJECT_KEY, SECRET, body, "wrong-credential-of-a-caller"];
  for (const secret of secrets) expect(output).not.toContain(secret);
});
