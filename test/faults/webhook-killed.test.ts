import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";
import {
  type Behaviour,
  isGenuine,
  LOCAL_RECEIVERS,
  type Received,
  type Receiver,
  startReceiver,
} from "../harness/webhook-receiver.ts";
import { startWebhookLoad } from "./webhook-client.ts";

const KILLS = 4;
const CALM_MS = 1_500;
const CLIENTS = 4;
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 180_000;

let receiver: Receiver;
let nodes: ServiceProcess[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
  nodes = [];
});
afterAll(() => receiver.close());

async function start(databaseUri: string, more: Record<string, string> = {}): Promise<ServiceProcess> {
  const node = await startProcess({
    ...{ KEYSVC_MONGODB_URI: databaseUri, KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET },
    ...{ ...LOCAL_RECEIVERS, KEYSVC_LOG_LEVEL: "info", ...more },
  });
  nodes.push(node);
  return node;
}

/** Takes most of what comes, and fails, redirects or cuts the connection for the rest, or is silent for a while. */
const moody: Behaviour = (_event, response, request) => {
  const mood = Math.random();
  if (mood < 0.7) return 200;
  if (mood < 0.8) return 500;
  if (mood < 0.87) {
    response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    return undefined;
  }
  if (mood < 0.95) request.socket.destroy();
  else setTimeout(() => response.writeHead(200).end(), 3_000);
  return undefined;
};

interface Stored {
  consumers: { _id: string; credits: { used: number } }[];
  keys: { _id: string; consumerId: string }[];
}

async function readStored(databaseUri: string): Promise<Stored> {
  const client = await MongoClient.connect(databaseUri);
  const read = (name: string) => client.db().collection(name).find().toArray();
  const [consumers, keys] = await Promise.all([read("consumers"), read("keys")]);
  await client.close();
  // As the service stores them.
  return { consumers, keys } as unknown as Stored;
}

/** What should have been told of what is stored, whether or not a client was told of its call. */
function expectedEvents({ consumers, keys }: Stored): string[] {
  const credits = consumers.flatMap(({ _id, credits: { used } }) => [
    ...(used >= 4 ? [`${_id} consumer.credits.threshold_reached`] : []),
    ...(used >= 6 ? [`${_id} consumer.credits.exhausted`] : []),
    ...(used > 6 ? [`${_id} consumer.credits.overage_started`] : []),
  ]);
  return [...credits, ...keys.map(({ _id, consumerId }) => `${consumerId} key.created ${_id}`)].sort();
}

/** Each event by its id, however often it arrived. */
function arrivedEvents(received: readonly Received[]): string[] {
  const once = new Map(received.map((event) => [event.id, event]));
  return [...once.values()]
    .map(({ type, body: { data } }) => `${data.consumerId} ${type}${data.keyId ? ` ${data.keyId}` : ""}`)
    .sort();
}

it("two nodes that are killed at random, with a receiver of many moods: every event arrives, genuine, and no threshold twice", {
  timeout: TIMEOUT_MS,
}, async () => {
  const databaseUri = freshDatabaseUri();
  const pair = [await start(databaseUri), await start(databaseUri)];
  const urls = () => pair.map(({ url }) => url);
  const { body } = await postJson(`${urls()[0]}/webhook/secret/rotate`, {}, PROJECT_KEY);
  receiver.behave(moody);
  const load = startWebhookLoad({ clients: CLIENTS, urls, webhookUrl: receiver.url });
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(CALM_MS * (0.5 + Math.random()));
    const index = kill % 2;
    await pair[index]?.stop("SIGKILL");
    pair[index] = await start(databaseUri);
  }
  await load.stop();
  await Promise.all(pair.map((node) => node.stop("SIGKILL")));
  // An hour later, for what is to be tried again.
  receiver.behave(() => 200);
  const late = await start(databaseUri, { KEYSVC_TEST_CLOCK_OFFSET_MS: String(HOUR_MS) });
  for (let isOver = false; !isOver; ) {
    const pending = await postJson(`${late.url}/webhook/deliveries`, { status: "pending" }, PROJECT_KEY);
    isOver = pending.body.deliveries.length === 0;
    await sleep(200);
  }
  const stored = await readStored(databaseUri);
  const { received } = receiver;
  process.stderr.write(`${stored.consumers.length} consumers, ${received.length} attempts\n`);
  expect(arrivedEvents(received)).toEqual(expectedEvents(stored));
  expect(received.filter((event) => !isGenuine(event, body.secret))).toEqual([]);
  // The load was one: several hundred events, and some of them more than once.
  expect(load.consumers.length).toBeGreaterThan(20);
  expect(received.length).toBeGreaterThan(expectedEvents(stored).length);
});
