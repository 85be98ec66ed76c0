import { parseInterval } from "../credits/interval.ts";
import { overageLimit, type Pool, settle } from "../credits/pool.ts";
import type { CreditsSettings } from "../credits/settings.ts";
import type { SeededRandom } from "../lib/seeded-random.ts";
import { happens, pick, pickTime } from "./pick.ts";

const DAY_MS = 24 * 3_600_000;
const LIMITS = [500, 1_000, 5_000, 20_000, 100_000, 1_000_000] as const;

type Usage = "little" | "some" | "nearlyAll" | "all" | "overage";

/** Most use little, and a few come to the end of their pool. */
const USAGES: readonly (readonly [Usage, number])[] = [
  ["little", 70],
  ["some", 15],
  ["nearlyAll", 8],
  ["all", 3],
  ["overage", 4],
];

/** Makes the settings of a pool that no plan gives. */
export function generateSettings(random: SeededRandom, createdAtMs: number, nowMs: number): CreditsSettings {
  const limit = pick(random, LIMITS);
  return {
    limit,
    shadowLimit: happens(random, 0.3) ? Math.floor(0.8 * limit) : null,
    overage: happens(random, 0.3) ? { enabled: happens(random, 0.85), limit: Math.floor(0.2 * limit) } : null,
    refill: happens(random, 0.6) ? generateRefill(random, limit) : null,
    expiresAt: happens(random, 0.1) ? pickExpiry(random, createdAtMs, nowMs) : null,
  };
}

function generateRefill(random: SeededRandom, limit: number): CreditsSettings["refill"] {
  return {
    ...parseInterval(pick(random, ["1d", "7d", "30d"])),
    refillCredit: happens(random, 0.7) ? limit : Math.floor(limit / 4),
    refillPolicy: happens(random, 0.6) ? "reset" : "add",
    carryover: happens(random, 0.3) ? { enabled: happens(random, 0.85), max: Math.floor(limit / 2) } : null,
  };
}

/** As often passed as not. */
export function pickExpiry(random: SeededRandom, createdAtMs: number, nowMs: number): number {
  return happens(random, 0.5) ? pickTime(random, createdAtMs, nowMs) : pickTime(random, nowMs, nowMs + 180 * DAY_MS);
}

/**
 * A pool as its last charge left it: refills that came due before it are settled, those since then are not.
 *
 * @param pool with nothing used
 */
export function usePool(random: SeededRandom, pool: Pool, chargedAtMs: number): Pool {
  const settled = settle(pool, chargedAtMs);
  // A plan that was there before may give less than 1.
  return { ...settled, used: Math.min(pickUsed(random, settled), settled.limit + overageLimit(settled)) };
}

/** At least 1, because it was charged. */
function pickUsed(random: SeededRandom, pool: Pool): number {
  const amount = random.fraction();
  const part = (share: number) => Math.max(1, Math.floor(share * pool.limit));
  switch (random.weighted(USAGES)) {
    case "little":
      return part(0.5 * amount ** 3);
    case "some":
      return part(amount);
    case "nearlyAll":
      return part(0.9 + 0.1 * amount);
    case "all":
      return pool.limit;
    case "overage":
      return pool.limit + Math.floor(amount * overageLimit(pool));
  }
}
