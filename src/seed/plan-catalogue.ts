import { parseInterval } from "../credits/interval.ts";
import type { CreditsSettings, RateLimit } from "../credits/settings.ts";

/** A plan of a seeded project, and how many of its holders have it. */
export interface PlanOffer {
  name: string;
  /** Weight among the plans. */
  share: number;
  credits: CreditsSettings;
  rateLimit: RateLimit | null;
}

/** The plans that a seeded project has: both refill policies, carryover, overage, and each a limit of another size. */
export const PLAN_CATALOGUE: readonly PlanOffer[] = [
  {
    name: "Free",
    share: 45,
    credits: settings(1_000, "1d", "reset"),
    rateLimit: { limit: 10, windowSeconds: 1 },
  },
  {
    name: "Starter",
    share: 25,
    credits: { ...settings(10_000, "30d", "reset", 2_000), shadowLimit: 8_000 },
    rateLimit: { limit: 600, windowSeconds: 60 },
  },
  {
    name: "Team",
    share: 15,
    credits: {
      ...settings(100_000, "30d", "reset"),
      shadowLimit: 80_000,
      overage: { enabled: true, limit: 20_000 },
    },
    rateLimit: { limit: 50, windowSeconds: 1 },
  },
  { name: "Business", share: 10, credits: settings(250_000, "7d", "add", 500_000), rateLimit: null },
  {
    name: "Enterprise",
    share: 5,
    credits: { ...settings(5_000_000, "30d", "add"), overage: { enabled: true, limit: 1_000_000 } },
    rateLimit: { limit: 100_000, windowSeconds: 3_600 },
  },
];

/** Names of the APIs that a seeded project has. */
export const API_NAMES = ["Search", "Documents", "Billing"] as const;

function settings(
  credits: number,
  every: string,
  refillPolicy: "reset" | "add",
  carryoverMax?: number,
): CreditsSettings {
  const carryover = carryoverMax === undefined ? null : { enabled: true, max: carryoverMax };
  return {
    limit: credits,
    shadowLimit: null,
    overage: null,
    refill: { ...parseInterval(every), refillCredit: credits, refillPolicy, carryover },
    expiresAt: null,
  };
}
