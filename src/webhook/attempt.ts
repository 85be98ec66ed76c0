import { VERSION } from "../lib/version.ts";
import type { TimeBounds } from "../mongo/database-clock.ts";
import { abandoned, afterAttempt, bodyOf, type Delivery, type Progress } from "./delivery.ts";
import type { FindAddress } from "./event.ts";
import type { Answer, Post } from "./send.ts";
import { type SignerOptions, signFor } from "./signer.ts";
import type { WebhookStore } from "./store.ts";

export interface AttemptOptions extends SignerOptions {
  store: Pick<WebhookStore, "findSecrets" | "insertSecrets" | "release">;
  findAddress: FindAddress;
  send: (post: Post, signal: AbortSignal) => Promise<Answer>;
  /** Whether there is a project, and it is not deleted. */
  projectExists: (projectId: string) => Promise<boolean>;
  now: () => Promise<TimeBounds>;
  /** Is told how far a delivery is after an attempt that was not cut off. */
  onProgress: (status: Progress["status"]) => void;
  /** How far the service's time is from the database's. */
  clockOffsetMs: number;
  /** From 0 to below 1. */
  random: () => number;
}

/**
 * Tries once to deliver what this node has claimed, to the address that the consumer has now, and writes how far it is then.
 * What is cut off because the service stops is due again at once, for another node.
 */
export async function attemptDelivery(
  delivery: Delivery,
  claimId: string,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<void> {
  const { store, send, now, random, onProgress } = options;
  const attemptMs = (await now()).latestMs;
  const url = await addressOf(delivery, options);
  if (typeof url !== "string") {
    await store.release(delivery, claimId, delivery.url, abandoned(delivery, url.reason, attemptMs));
    return onProgress("failed");
  }
  const post = await signedPost(delivery, url, attemptMs, options);
  const answer = await send(post, signal);
  const nowMs = (await now()).latestMs;
  const isCutOff = signal.aborted && answer.error !== null;
  const progress = isCutOff ? handedBack(delivery, nowMs) : afterAttempt(delivery, answer, attemptMs, nowMs, random());
  await store.release(delivery, claimId, url, progress);
  if (!isCutOff) onProgress(progress.status);
}

/** Where it goes now, or why it goes nowhere. A consumer that was removed for good had its last address. */
async function addressOf(
  { projectId, consumerId, url }: Delivery,
  { findAddress, projectExists }: AttemptOptions,
): Promise<string | { reason: string }> {
  const [exists, address] = await Promise.all([projectExists(projectId), findAddress(projectId, consumerId)]);
  if (!exists) return { reason: "the project was deleted" };
  if (address === null) return { reason: "the consumer has no webhookUrl any more" };
  return address ?? url;
}

async function signedPost(delivery: Delivery, url: string, nowMs: number, options: AttemptOptions): Promise<Post> {
  const body = bodyOf(delivery);
  // Receivers compare it with their own clock, which no setting of this service shifts.
  const timestamp = Math.floor((nowMs - options.clockOffsetMs) / 1_000);
  const signature = await signFor(delivery.projectId, { eventId: delivery._id, timestamp, body }, nowMs, options);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": `keysvc-webhooks/${VERSION}`,
    ...signature,
  };
  return { url, headers, body };
}

function handedBack(delivery: Progress, nowMs: number): Progress {
  const { status, attempts, lastAttemptAt, lastStatusCode, lastError, deliveredAt, nextAttemptAt } = delivery;
  const before = { status, attempts, lastAttemptAt, lastStatusCode, lastError, deliveredAt, nextAttemptAt };
  return { ...before, dueAt: new Date(nowMs), claimId: null, finishedAt: null };
}
