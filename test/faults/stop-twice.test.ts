import { Agent, request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";

const CALLS = 200;
const LIMIT = 1_000_000;
let service: ServiceProcess | undefined;
const agent = new Agent({ keepAlive: true, maxSockets: CALLS });
afterEach(async () => {
  agent.destroy();
  await service?.stop("SIGKILL");
});

/** Resolves with the status when the answer is whole; `onSent` is called when the request is with the system. */
function post(url: string, body: object, onSent: () => void = () => undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${PROJECT_KEY}` };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
      response.once("close", () => reject(new Error("the answer was broken off")));
    });
    sent.once("error", reject).once("finish", onSent).end(JSON.stringify(body));
  });
}

it.each([
  ["SIGTERM", "SIGTERM"],
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGINT"],
] as const)(
  "%s, and %s while it stops: every call that was sent before is answered and charged once, exit 0",
  async (first, second) => {
    const settings = { KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET };
    const uri = freshDatabaseUri();
    service = await startProcess({ ...settings, KEYSVC_MONGODB_URI: uri });
    const { url, child } = service;
    const ok = async (path: string, body: object) => {
      const answer = await postJson(url + path, body, PROJECT_KEY);
      expect({ path, ...answer }).toMatchObject({ status: 200 });
      return answer.body;
    };
    const { consumerId } = await ok("/consumer/create", { credits: { limit: LIMIT } });
    const { key } = await ok("/key/create", { consumerId });
    // The connections are there already: what is sent on them was accepted.
    const warm = await Promise.all(Array.from({ length: CALLS }, () => post(`${url}/key/validate`, { key })));
    expect(new Set(warm)).toEqual(new Set([200]));
    let sent = 0;
    const { promise: allSent, resolve } = Promise.withResolvers<void>();
    const onSent = () => {
      if (++sent === CALLS) resolve();
    };
    const calls = Array.from({ length: CALLS }, () => post(`${url}/key/validate`, { key }, onSent));
    await allSent;
    child.kill(first);
    setTimeout(() => child.kill(second), 20);
    setTimeout(() => child.kill(first), 100);
    const answered = await Promise.allSettled(calls);
    expect(await service.stop(first)).toBe(0);
    expect(service.output()).toContain('"msg":"stopped"');
    expect(answered.filter(({ status }) => status === "rejected")).toEqual([]);
    const statuses = answered.map((one) => (one.status === "fulfilled" ? one.value : 0));
    expect(new Set(statuses)).toEqual(new Set([200]));
    service = await startProcess({ ...settings, KEYSVC_MONGODB_URI: uri });
    const { body } = await postJson(`${service.url}/consumer/details`, { consumerId }, PROJECT_KEY);
    expect(body.credits.used).toBe(2 * CALLS);
  },
);
