import { createHash } from "node:crypto";
import { ADMIN_KEY, type TestService } from "./service.ts";
import { untilTold } from "./webhook-receiver.ts";

export const EXTERNAL_VALUE = "a-key-of-another-service";
export const REQUEST_ID = "the-same-in-both";

/** What a project has: the same data in both, and then one more of everything in theirs. */
export interface Estate {
  projectId: string;
  projectKey: string;
  consumerId: string;
  keyId: string;
  key: string;
  importedKeyId: string;
  apiId: string;
  planId: string;
  credentialId: string;
  eventId: string;
}

/** A project, and its data. @param webhookUrl takes its events */
export async function createEstate(service: TestService, webhookUrl: string): Promise<Estate> {
  const { projectId, projectKey } = await service.ok("/project/create", { name: "the same name" }, ADMIN_KEY);
  const data = await createData(service, projectKey, webhookUrl);
  const sha256 = createHash("sha256").update(EXTERNAL_VALUE).digest("hex");
  const { keys } = await service.ok("/key/import", { consumerId: data.consumerId, keys: [{ sha256 }] }, projectKey);
  return {
    projectId,
    projectKey,
    ...data,
    importedKeyId: keys[0].keyId,
    eventId: await untilTold(service, projectKey),
  };
}

/** One of everything that a project has. */
export async function createData(
  service: TestService,
  projectKey: string,
  webhookUrl: string,
): Promise<Omit<Estate, "projectId" | "projectKey" | "importedKeyId" | "eventId">> {
  const ok = (path: string, body: object) => service.ok(path, body, projectKey);
  const { apiId } = await ok("/api/create", { name: "API" });
  const { planId } = await ok("/plan/create", { name: "plan", credits: { limit: 100 } });
  const { consumerId } = await ok("/consumer/create", {
    ...{ name: "Zoë", externalId: "outside", planId, webhookUrl },
  });
  const { keyId, key } = await ok("/key/create", { consumerId, name: "key" });
  await ok("/key/validate", { key, requestId: REQUEST_ID });
  await ok("/ingest", { events: [{ method: "GET", path: "/", statusCode: 200, requestId: consumerId }] });
  const { credentialId } = await ok("/project/credential/create", { name: "reader", scopes: ["read"] });
  return { consumerId, keyId, key, apiId, planId, credentialId };
}
