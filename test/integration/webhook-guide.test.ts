import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../../src/mongod/port.ts";
import { createSigningSecret, signatureHeaders } from "../../src/webhook/signature.ts";
import { createConsumerWithKey, startService } from "../harness/service.ts";
import { LOCAL_RECEIVERS } from "../harness/webhook-receiver.ts";

const ROOT = resolve(import.meta.dirname, "../..");

it("the receiver of docs/webhooks.md takes what the service sends, once, and nothing else", async () => {
  const page = readFileSync(resolve(ROOT, "docs/webhooks.md"), "utf8");
  const [, example = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
  const service = await startService(LOCAL_RECEIVERS);
  const { secret } = await service.ok("/webhook/secret/rotate", {});
  const port = await freePort();
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", example], {
    cwd: ROOT,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const url = `http://127.0.0.1:${port}/`;
  const post = (headers: Record<string, string>) => fetch(url, { method: "POST", headers, body: "{}" });
  while ((await post({}).catch(() => undefined)) === undefined) await new Promise((wake) => setTimeout(wake, 50));
  const signed = { eventId: "evt_1", timestamp: Math.floor(Date.now() / 1_000), body: "{}" };
  expect((await post(signatureHeaders(signed, [createSigningSecret()]))).status).toBe(400);
  const { consumerId, keyId } = await createConsumerWithKey(service, { webhookUrl: url });
  const delivered = async () =>
    (await service.ok("/webhook/deliveries", { consumerId, status: "delivered" })).deliveries;
  while ((await delivered()).length === 0) await new Promise((wake) => setTimeout(wake, 50));
  const [{ eventId, lastStatusCode }] = await delivered();
  await service.ok("/webhook/replay", { eventId });
  while ((await delivered()).length === 0) await new Promise((wake) => setTimeout(wake, 50));
  expect(lastStatusCode).toBe(204);
  expect(output.trim().split("\n")).toEqual([
    `key.created ${JSON.stringify({ name: null, keyId, consumerId, externalId: null }, ["consumerId", "externalId", "keyId", "name"])}`,
  ]);
  child.kill();
  await service.close();
});
