import { randomUUID } from "node:crypto";
import type { Config } from "./config.ts";
import type { ConsumerStore } from "./consumer/store.ts";
import type { MakeChange } from "./mongo/change.ts";
import type { DatabaseClock, TimeBounds } from "./mongo/database-clock.ts";
import type { ProjectStore } from "./project/store.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { checkWebhookUrl } from "./webhook/address.ts";
import { type AttemptOptions, attemptDelivery } from "./webhook/attempt.ts";
import { Dispatcher } from "./webhook/dispatcher.ts";
import type { TellEvents } from "./webhook/event.ts";
import { createHostResolver } from "./webhook/resolve-host.ts";
import { sendPost } from "./webhook/send.ts";
import type { WebhookServiceOptions } from "./webhook/service.ts";
import type { WebhookStore } from "./webhook/store.ts";

/** A receiver that has not answered by then is given up until the next attempt. */
const SEND_TIMEOUT_MS = 10_000;

/** What metrics call the state after an attempt. */
const RESULTS = { delivered: "delivered", pending: "failed", failed: "given_up" } as const;

/** What other rooms need of webhooks. */
export interface WebhookParts {
  tell: TellEvents;
  /** What is wrong with an address that is to be saved; undefined: nothing that is known. */
  checkWebhookUrl: (url: string) => Promise<string | undefined>;
  store: WebhookStore;
  send: AttemptOptions["send"];
}

export function openWebhooks({ webhookAllow: allowed }: Config, store: WebhookStore): WebhookParts {
  const addresses = { resolveHost: createHostResolver(), allowed };
  return {
    store,
    tell: store.tell,
    checkWebhookUrl: (url) => checkWebhookUrl(url, addresses),
    send: (post, signal) => sendPost(post, { ...addresses, timeoutMs: SEND_TIMEOUT_MS }, signal),
  };
}

export interface WebhookSurroundings {
  config: Config;
  webhooks: WebhookParts;
  keyring: Keyring;
  change: MakeChange;
  projects: ProjectStore;
  consumers: ConsumerStore;
  clock: Pick<DatabaseClock, "now">;
  now: () => Promise<number>;
  /** Is told what became of each attempt: `failed` is followed by another. */
  onDelivery: (result: "delivered" | "failed" | "given_up") => void;
  /** Takes what looking for deliveries, or an attempt, failed with. */
  onDeliveryFailure: (error: unknown) => void;
}

/** What the handlers of webhooks need, and the sending behind them. */
export interface Webhooks {
  options: WebhookServiceOptions;
  close(): Promise<void>;
}

export function composeWebhooks(surroundings: WebhookSurroundings): Webhooks {
  const { config, webhooks, keyring, change, projects, consumers, clock, now } = surroundings;
  const { onDelivery, onDeliveryFailure } = surroundings;
  const { store, send } = webhooks;
  const { findAddress } = consumers;
  const bounds = async (): Promise<TimeBounds> => {
    const known = clock.now();
    if (known !== undefined) return known;
    const nowMs = await now();
    return { earliestMs: nowMs, latestMs: nowMs };
  };
  const attempt: AttemptOptions = {
    ...{ store, keyring, send, findAddress, projectExists: projects.exists, now: bounds, random: Math.random },
    clockOffsetMs: config.clockOffsetMs,
    onProgress: (status) => onDelivery(RESULTS[status]),
  };
  const dispatcher = new Dispatcher({
    store,
    attempt: (delivery, claimId, signal) => attemptDelivery(delivery, claimId, attempt, signal),
    now: bounds,
    createClaimId: randomUUID,
    onFailure: onDeliveryFailure,
  });
  const options = { store, keyring, change, findAddress, lockProject: projects.lock };
  return { options, close: () => dispatcher.stop() };
}
