import { PROJECT_KEY, postJson } from "../harness/service.ts";

/** A consumer that charges are made for, and what was acknowledged. */
export interface ToldConsumer {
  consumerId: string;
  key: string;
}

export interface WebhookLoadOptions {
  clients: number;
  /** The nodes at this moment. */
  urls: () => string[];
  webhookUrl: string;
}

/** What every consumer starts with. */
export const CREDITS = { limit: 6, shadowLimit: 4, overage: { enabled: true, limit: 3 } };
/** More than it can spend. */
const CHARGES = 12;
const ATTEMPTS = 3;

/** Clients that make consumers with an address and use up their credits, until they are told to stop. */
export function startWebhookLoad({ clients, urls, webhookUrl }: WebhookLoadOptions) {
  const consumers: ToldConsumer[] = [];
  let isStopped = false;
  let calls = 0;

  /** Of one node after the other, until one answers. undefined: none does. */
  async function call(path: string, body: object) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const all = urls();
      const answer = await postJson(`${all[++calls % all.length]}${path}`, body, PROJECT_KEY).catch(() => undefined);
      if (answer?.status === 200) return answer.body;
    }
    return undefined;
  }

  async function runClient(): Promise<void> {
    while (!isStopped) {
      const made = await call("/consumer/create", { webhookUrl, credits: CREDITS });
      if (made === undefined) continue;
      const { consumerId } = made;
      const key = (await call("/key/create", { consumerId }))?.key;
      if (key === undefined) continue;
      consumers.push({ consumerId, key });
      const charges = Array.from({ length: CHARGES }, () => call("/key/validate", { key }));
      await Promise.all(charges);
    }
  }

  const running = Array.from({ length: clients }, runClient);
  return {
    consumers,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
