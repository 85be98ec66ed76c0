import { attachPlan, CHARGE_SLOT_MS, type Consumer, type ConsumerStatus } from "../consumer/consumer.ts";
import { emptyConsumer } from "../consumer/new-consumer.ts";
import { applySettings, type RateLimit } from "../credits/settings.ts";
import type { SeededRandom } from "../lib/seeded-random.ts";
import type { Plan } from "../plan/plan.ts";
import { generateSettings, pickExpiry, usePool } from "./generate-credits.ts";
import { generateProfile } from "./generate-profile.ts";
import { happens, pick, pickTime } from "./pick.ts";

/** The project that consumers are made for. */
export interface Surroundings {
  projectId: string;
  /** Its plans, each with its weight among them. */
  plans: readonly (readonly [Plan, number])[];
  apiIds: readonly string[];
  keysPerConsumer: number;
  /** The database's time, epoch milliseconds, shifted by the setting for tests. */
  nowMs: number;
  clockOffsetMs: number;
}

const DAY_MS = 24 * 3_600_000;
/** Inside the recovery of 7 days, so that the deleted ones are there for a while. */
const DELETED_SINCE_MAX_MS = 6 * DAY_MS;

const STATUSES: readonly (readonly [ConsumerStatus, number])[] = [
  ["active", 92],
  ["disabled", 5],
  ["deleted", 3],
];
const SOURCES: readonly (readonly ["plan" | "own" | "unlimited", number])[] = [
  ["plan", 70],
  ["own", 15],
  ["unlimited", 15],
];
const RATE_LIMITS: readonly RateLimit[] = [
  { limit: 5, windowSeconds: 1 },
  { limit: 100, windowSeconds: 60 },
  { limit: 5_000, windowSeconds: 3_600 },
];

/**
 * Makes a consumer that the service could have stored: in the state that its creation, its charges and its changes would
 * have left it in.
 */
export function generateConsumer(random: SeededRandom, createdAtMs: number, surroundings: Surroundings): Consumer {
  const { nowMs, keysPerConsumer } = surroundings;
  const status = random.weighted(STATUSES);
  const deletedFromMs = Math.max(createdAtMs, nowMs - DELETED_SINCE_MAX_MS);
  const deletedAtMs = status === "deleted" ? pickTime(random, deletedFromMs, nowMs) : undefined;
  const lastMs = deletedAtMs ?? nowMs;
  const isChanged = status !== "active" || happens(random, 0.4);
  const updatedAtMs = isChanged ? (deletedAtMs ?? pickTime(random, createdAtMs, lastMs)) : createdAtMs;
  const equipped = equip(random, createdAtMs, surroundings);
  return {
    ...withCharges(random, equipped, lastMs, surroundings.clockOffsetMs),
    ...generateProfile(random),
    status,
    updatedAt: new Date(updatedAtMs),
    deletedAt: deletedAtMs === undefined ? null : new Date(deletedAtMs),
    expiresAt: happens(random, 0.03) ? new Date(pickExpiry(random, createdAtMs, nowMs)) : null,
    keyCount: keysPerConsumer,
    // Each of its keys was a change as well.
    revision: 1 + keysPerConsumer + (isChanged ? 1 : 0),
  };
}

/** A consumer as it was made: on a plan, on credits of its own, or unlimited. */
function equip(random: SeededRandom, createdAtMs: number, { projectId, plans, nowMs }: Surroundings): Consumer {
  const consumer = emptyConsumer(projectId, createdAtMs);
  const source = random.weighted(SOURCES);
  if (source === "plan") return attachPlan(consumer, random.weighted(plans), createdAtMs);
  const rateLimit = happens(random, 0.25) ? pick(random, RATE_LIMITS) : null;
  if (source === "unlimited") return { ...consumer, rateLimit };
  const settings = generateSettings(random, createdAtMs, nowMs);
  return { ...consumer, rateLimit, credits: applySettings(settings, null, createdAtMs) };
}

/** The consumer after its last charge. Many were charged of late, a part long ago, a few never. */
function withCharges(random: SeededRandom, consumer: Consumer, lastMs: number, clockOffsetMs: number): Consumer {
  const { credits, rateLimit, createdAt } = consumer;
  // Unlimited usage is never charged.
  if ((credits === null && rateLimit === null) || happens(random, 0.12)) return consumer;
  const chargedAt = pickTime(random, createdAt.getTime(), lastMs, 8);
  return {
    ...consumer,
    credits: credits && usePool(random, credits, chargedAt),
    rateWindow: rateLimit && countWindow(random, rateLimit, chargedAt),
    // Slots are of the clock that no setting shifts.
    chargeSlot: credits ? Math.floor((chargedAt - clockOffsetMs) / CHARGE_SLOT_MS) : 0,
  };
}

function countWindow(
  random: SeededRandom,
  { limit, windowSeconds }: RateLimit,
  chargedAt: number,
): Consumer["rateWindow"] {
  const windowMs = windowSeconds * 1_000;
  return { windowSeconds, start: chargedAt - (chargedAt % windowMs), count: random.integer(1, limit) };
}
