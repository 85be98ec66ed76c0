import { describe, expect, it } from "vitest";
import { checkLedger } from "./check-ledger.ts";
import type { Ledger, Rule } from "./ledger.ts";
import { type Bug, simulateLedger } from "./simulate-ledger.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const CALLS = 1_500;
const rulesOf = (ledger: Ledger) => [...new Set(checkLedger(ledger).map(({ rule }) => rule))];

describe("the checker of ledgers", () => {
  it.each([0, 0.05, 0.3])("finds nothing in right histories, of which a share of %d has no answer", (failedShare) => {
    for (const seed of SEEDS) {
      const ledger = simulateLedger({ seed, calls: CALLS, failedShare });
      expect(checkLedger(ledger), `seed ${seed}`).toEqual([]);
    }
  });

  it("is given histories in which everything happens", () => {
    const { calls } = simulateLedger({ seed: 1, calls: CALLS, failedShare: 0.05 });
    const codes = calls.map(({ outcome }) => (outcome.kind === "verdict" ? outcome.code : outcome.kind));
    expect([...new Set(codes)].sort()).toEqual(
      ["CONSUMER_DISABLED", "RATE_LIMITED", "USAGE_EXCEEDED", "VALID", "failure"].sort(),
    );
  });

  /** Each with the rules of which one at least must be named. */
  const bugs: Record<Bug, Rule[]> = {
    "double charge": ["unexplained charge", "over-grant", "activity wrong"],
    "lost charge": ["lost charge", "order"],
    "over-grant": ["over-grant"],
    "denied with credits left": ["denied with credits left"],
    "window overrun": ["window overrun"],
    "denied with room left": ["denied with room left"],
    "out of order": ["order"],
    "clock off": ["time"],
    "replay charged": ["unexplained charge", "activity wrong"],
    "refill twice": ["order", "over-grant", "verdict"],
    "activity missing": ["activity missing"],
    "activity twice": ["activity unexplained"],
    "activity of the wrong charge": ["activity wrong"],
  };

  it.each(Object.entries(bugs) as [Bug, Rule[]][])("finds, in every history that has it: %s", (bug, rules) => {
    for (const seed of SEEDS) {
      const found = rulesOf(simulateLedger({ seed, calls: CALLS, failedShare: 0, bug }));
      expect(
        rules.filter((rule) => found.includes(rule)),
        `seed ${seed}: ${found}`,
      ).not.toEqual([]);
    }
  });
});
