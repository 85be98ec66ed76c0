import type { KeyServiceCreateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import type { Caller } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { formatCount } from "../lib/format-count.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { type Addressee, type EventType, eventsOf, type TellEvents } from "../webhook/event.ts";
import type { FindUnknownApis } from "./check-apis.ts";
import { toAudit } from "./convert.ts";
import {
  KEYS_PER_CONSUMER_MAX,
  type Key,
  type KeyChange,
  PREFIX_DEFAULT,
  PREVIOUS_VALUES_MAX,
  previousValidUntil,
  withNewValue,
} from "./key.ts";
import { newKey, newValue } from "./new-key.ts";
import type { KeyStore } from "./store.ts";

/** What changes of keys need. */
export interface KeyOptions {
  store: KeyStore;
  keyring: Keyring;
  /** Whether values are kept, encrypted. */
  recoverable: boolean;
  change: MakeChange;
  /** Takes the consumer that owns the keys of a change. Throws when there is none, or it is deleted. */
  lockConsumer: (change: Change, consumerId: string, keysAdded: number) => Promise<Consumer>;
  findUnknownApis: FindUnknownApis;
  tell: TellEvents;
}

export function noSuchKey(): Fault {
  return new Fault("NOT_FOUND", "keyId: there is no such key");
}

/**
 * Changes one key. Its consumer is locked for it, so that nobody else changes the key meanwhile, and whoever has judged it
 * before judges it anew.
 *
 * @param keysAdded by how much the number of the consumer's keys changes
 */
export async function changeKey<Result>(
  caller: Caller,
  keyId: string,
  { store, change: makeChange, lockConsumer }: KeyOptions,
  keysAdded: number,
  work: (change: Change, key: Key, consumer: Consumer) => Promise<Result>,
): Promise<Result> {
  // A key never moves: whose it is can be read before the change, which begins with the consumer.
  const found = await store.find(caller.projectId, keyId);
  if (found === undefined) throw noSuchKey();
  const changeFound = async (change: Change) => {
    const consumer = await lockConsumer(change, found.consumerId, keysAdded).catch((error: unknown) => {
      // The caller named the key.
      throw error instanceof Fault && error.reason === "NOT_FOUND" ? noSuchKey() : error;
    });
    const key = await store.findWithin(change, keyId);
    if (key === undefined) throw noSuchKey();
    return work(change, key, consumer);
  };
  return makeChange(actorOf(caller), changeFound, found.consumerId);
}

/** Takes the consumer that is to own more keys. Throws CONFLICT when they are too many. */
export async function lockForKeys(
  change: Change,
  consumerId: string,
  keysAdded: number,
  { lockConsumer }: Pick<KeyOptions, "lockConsumer">,
): Promise<Consumer> {
  const consumer = await lockConsumer(change, consumerId, keysAdded);
  const { keyCount } = consumer;
  if (keyCount <= KEYS_PER_CONSUMER_MAX) return consumer;
  const max = formatCount(KEYS_PER_CONSUMER_MAX);
  throw new Fault("CONFLICT", `consumerId: a consumer can own ${max} keys; this would make ${formatCount(keyCount)}`);
}

export async function createKey(
  change: Change,
  request: KeyServiceCreateRequest,
  options: KeyOptions,
): Promise<{ key: Key; value: string }> {
  const consumer = await lockForKeys(change, request.consumerId, 1, options);
  const made = newKey(request, change.actor.projectId, change.nowMs, options);
  await options.store.insert(change, [made.key]);
  await tellOfKeys(change, "key.created", consumer, [made.key], options);
  change.record({ action: "key.create", targetId: made.key._id, before: null, after: toAudit(made.key) });
  return made;
}

export async function updateKey(
  change: Change,
  before: Key,
  requested: KeyChange,
  store: Pick<KeyStore, "save">,
): Promise<Key> {
  // An update of nothing changes nothing, the time of the last change neither.
  if (Object.keys(requested).length === 0) return before;
  const after: Key = { ...before, ...requested, updatedAt: new Date(change.nowMs) };
  await store.save(change, after);
  change.record({ action: "key.update", targetId: before._id, before: toAudit(before), after: toAudit(after) });
  return after;
}

interface Rotated {
  key: Key;
  value: string;
  /** Until when the value before validates; null: no longer. */
  oldValidUntil: Date | null;
}

/** Gives a key a new value. */
export async function rotateKey(
  change: Change,
  before: Key,
  consumer: Consumer,
  graceSeconds: number,
  options: KeyOptions,
): Promise<Rotated> {
  const { nowMs } = change;
  const { value, stored } = newValue(before._id, before.prefix ?? PREFIX_DEFAULT, options);
  const key = withNewValue(before, stored, graceSeconds, nowMs);
  if (key.previous.length > PREVIOUS_VALUES_MAX) {
    throw new Fault("CONFLICT", `keyId: ${PREVIOUS_VALUES_MAX} previous values of the key are in their grace already`);
  }
  await options.store.save(change, key);
  await tellOfKeys(change, "key.rotated", consumer, [key], options);
  const until = (one: Key) => previousValidUntil(one, nowMs)?.toISOString() ?? null;
  change.record({
    action: "key.rotate",
    targetId: key._id,
    before: { ...toAudit(before), previousValidUntil: until(before) },
    // The time is all that tells of a rotation without a grace.
    after: { ...toAudit(key), previousValidUntil: until(key), rotatedAt: new Date(nowMs).toISOString() },
  });
  return { key, value, oldValidUntil: graceSeconds > 0 ? new Date(nowMs + graceSeconds * 1_000) : null };
}

export async function deleteKey(
  change: Change,
  key: Key,
  consumer: Consumer,
  options: Pick<KeyOptions, "store" | "tell">,
): Promise<void> {
  await options.store.remove(change, key._id);
  await tellOfKeys(change, "key.deleted", consumer, [key], options);
  change.record({ action: "key.delete", targetId: key._id, before: toAudit(key), after: null });
}

/** One event for each key, without any part of its value. */
export function tellOfKeys(
  { nowMs, session }: Change,
  type: Extract<EventType, `key.${string}`>,
  consumer: Addressee,
  keys: readonly Key[],
  { tell }: Pick<KeyOptions, "tell">,
): Promise<void> {
  const events = keys.flatMap(({ _id: keyId, name }) => eventsOf(consumer, type, nowMs, { keyId, name }));
  return tell(events, session);
}
