import type { Consumer } from "../consumer/consumer.ts";
import { ANY_API, type Key } from "../key/key.ts";
import { emptyKey, newValue, type ValueOptions } from "../key/new-key.ts";
import { createId } from "../lib/id.ts";
import type { SeededRandom } from "../lib/seeded-random.ts";
import type { Surroundings } from "./generate-consumer.ts";
import { pickExpiry } from "./generate-credits.ts";
import { happens, pick, pickTime } from "./pick.ts";

/** A key, and its value, which is not stored. */
export interface GeneratedKey {
  key: Key;
  value: string;
}

const PREFIXES: readonly (readonly [string, number])[] = [
  ["sk", 80],
  ["live", 14],
  ["test", 6],
];
const NAMES = ["default", "production", "staging", "ci", "mobile app", "Büro"] as const;
const FIRST_KEY_WITHIN_MS = 3_600_000;

/**
 * Makes a key of a consumer. Its value is random, whatever the seed: nobody who knows the seed may know the keys.
 *
 * @param index from 0; the first key of a consumer was made soon after the consumer, the others at any time since
 */
export function generateKey(
  random: SeededRandom,
  { _id: consumerId, createdAt, deletedAt }: Consumer,
  index: number,
  { projectId, apiIds, nowMs }: Surroundings,
  options: ValueOptions,
): GeneratedKey {
  const bornMs = createdAt.getTime();
  const lastMs = deletedAt?.getTime() ?? nowMs;
  const createdAtMs = pickTime(random, bornMs, index === 0 ? Math.min(bornMs + FIRST_KEY_WITHIN_MS, lastMs) : lastMs);
  const keyId = createId("key", createdAtMs);
  const { value, stored } = newValue(keyId, random.weighted(PREFIXES), options);
  const key: Key = {
    ...emptyKey(keyId, projectId, consumerId, createdAtMs),
    ...stored,
    name: happens(random, 0.5) ? pick(random, NAMES) : null,
    status: happens(random, 0.02) ? "disabled" : "active",
    allowedApis: happens(random, 0.8) ? [ANY_API] : [pick(random, apiIds)],
    expiresAt: happens(random, 0.03) ? new Date(pickExpiry(random, createdAtMs, nowMs)) : null,
    metadata: happens(random, 0.1) ? '{"team":"backend"}' : "{}",
  };
  return { key, value };
}
