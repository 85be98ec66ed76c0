/** Consumers with one key each, for one kind of traffic. */
export type Population = "spread" | "hot" | "unlimited" | "denied" | "rate-limited" | "grown" | "grown-uniform";

/** What a ratio to another case has to be at each of CONNECTIONS. */
export interface Bar {
  to: string;
  floors?: readonly [number, number];
  aims?: readonly [number, number];
}

export interface Case {
  name: string;
  /** `base` and `grown` are the durable service, before and after the database has grown; `two-nodes` share the connections. */
  server: "control" | "http-only" | "durable" | "two-nodes" | "buffered" | "base" | "grown";
  protocol: "http" | "grpc";
  population: Population;
  /** The first one is the case's ratio; one with a control also bounds its p99. */
  bars: readonly Bar[];
  /** Measured only when it is asked for. */
  isExtra?: boolean;
}

/** Calls that are under way at once. */
export const CONNECTIONS = [64, 256] as const;

/** What consumers of each population are answered; all have one key. */
export const POPULATIONS: Record<Population, { consumers: number; isValid: boolean; isCharged: boolean }> = {
  spread: { consumers: 1_000, isValid: true, isCharged: true },
  hot: { consumers: 1, isValid: true, isCharged: true },
  unlimited: { consumers: 1_000, isValid: true, isCharged: false },
  denied: { consumers: 1_000, isValid: false, isCharged: false },
  "rate-limited": { consumers: 1_000, isValid: true, isCharged: true },
  // Those that are called; the database has as many as --keys says.
  grown: { consumers: 1_000, isValid: true, isCharged: true },
  "grown-uniform": { consumers: 100_000, isValid: true, isCharged: true },
};

const fromMemory: Bar = { to: "control", floors: [5, 7], aims: [8, 10] };
const fromMemoryBuffered: Bar = { to: "control", floors: [12, 12] };
const ofJson = (to: string): Bar => ({ to, floors: [0.9, 0.9] });

const http = (
  name: string,
  server: Case["server"],
  population: Population,
  bars: readonly Bar[],
  isExtra = false,
): Case => ({ name, server, protocol: "http", population, bars, isExtra });

const spread: Bar = { to: "control", floors: [2.2, 4.2], aims: [3, 6] };
const hot: Bar = { to: "control-hot", floors: [2.8, 5.2], aims: [8, 15] };

/** In the order in which they are measured. The controls are measured again when the others are through. */
export const CASES: readonly Case[] = [
  http("control", "control", "spread", []),
  http("control-hot", "control", "hot", []),
  // What no service behind this HTTP server can exceed.
  http("http-only", "http-only", "unlimited", [{ to: "control" }]),
  http("spread", "durable", "spread", [spread]),
  http("hot", "durable", "hot", [hot]),
  http("spread-rate-limited", "durable", "rate-limited", [{ to: "control" }], true),
  http("unlimited", "durable", "unlimited", [fromMemory]),
  http("denied", "durable", "denied", [fromMemory]),
  {
    ...{ name: "grpc-spread", server: "durable", protocol: "grpc", population: "spread" },
    bars: [{ to: "control" }, ofJson("spread")],
  },
  {
    ...{ name: "grpc-hot", server: "durable", protocol: "grpc", population: "hot" },
    bars: [{ to: "control-hot" }, ofJson("hot")],
  },
  http("two-nodes-spread", "two-nodes", "spread", [{ to: "spread" }]),
  http("two-nodes-hot", "two-nodes", "hot", [{ to: "hot", floors: [0.8, 0.8] }]),
  http("unlimited-buffered", "buffered", "unlimited", [fromMemoryBuffered]),
  http("denied-buffered", "buffered", "denied", [fromMemoryBuffered]),
  // Right before the growth, so that what is compared is measured side by side.
  http("spread-before-growth", "base", "spread", [{ to: "control" }]),
  http("million-keys", "grown", "grown", [{ to: "spread-before-growth", floors: [0.8, 0.8] }]),
  http("million-keys-uniform", "grown", "grown-uniform", [{ to: "spread-before-growth" }]),
];

/** The cases of these names, and those that their ratios are to; all but the extra ones when none is named. Throws for unknown names. */
export function chooseCases(names: readonly string[] | undefined): Case[] {
  if (names === undefined) return CASES.filter(({ isExtra }) => !isExtra);
  const chosen = new Set(names);
  for (const name of names) {
    if (!CASES.some((one) => one.name === name)) {
      throw new Error(`there is no case ${name}; there are ${CASES.map((one) => one.name).join(", ")}`);
    }
  }
  // Backwards: a case comes after those that it is compared with.
  for (const one of CASES.toReversed()) if (chosen.has(one.name)) for (const { to } of one.bars) chosen.add(to);
  return CASES.filter(({ name }) => chosen.has(name));
}
