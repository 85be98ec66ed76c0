import { setTimeout as sleep } from "node:timers/promises";
import { createSeededRandom, type SeededRandom } from "../../src/lib/seeded-random.ts";
import type { Call } from "./ledger.ts";
import type { Customer } from "./mixed-consumers.ts";
import { openValidateClient, type ValidateClient } from "./validate-client.ts";

const COST_MAX = 7;
/** How many calls carry an id of the client's, and how many of those are made again though they were answered. */
const IDENTIFIED_SHARE = 0.25;
const REPEATED_SHARE = 0.2;
const ATTEMPTS_MAX = 8;
const RETRY_PAUSE_MS = 150;

export interface LoadOptions {
  customers: readonly Customer[];
  /** By name; a node that is started again may have another address. */
  nodes: Readonly<Record<string, () => string>>;
  clientsPerNode?: number;
  /** Between two calls of a client; 0: as fast as it is answered. */
  pauseMs?: number;
  seed?: number;
}

/** Clients that call until they are told to stop. */
export interface Load {
  /** What was called so far, in the order of the ends. */
  calls: Call[];
  /** Resolves when the last call has ended. */
  stop(): Promise<void>;
}

/** Starts clients of every node. A call with an id that failed is made again with the same id, on any node. */
export function startLoad({ customers, nodes, clientsPerNode = 16, pauseMs = 0, seed = 1 }: LoadOptions): Load {
  const calls: Call[] = [];
  let isStopped = false;
  const names = Object.keys(nodes);
  const choices = customers.map((customer) => [customer, customer.weight] as const);

  async function runClient(client: number, home: string): Promise<void> {
    const random = createSeededRandom(seed * 1_000 + client);
    const open = (node: string) => openValidateClient({ client, node, url: nodes[node] ?? (() => "") });
    const clients = new Map(names.map((node) => [node, open(node)]));
    const validate = async (node: string, request: Parameters<ValidateClient["validate"]>[0]) => {
      const call = await clients.get(node)?.validate(request);
      if (call !== undefined) calls.push(call);
      return call?.outcome;
    };
    for (let count = 0; !isStopped; count++) {
      const { terms, key } = random.weighted(choices);
      const request = { key, consumerId: terms.consumerId, cost: random.integer(0, COST_MAX) };
      if (terms.consumerId === "" || random.fraction() >= IDENTIFIED_SHARE) {
        const outcome = await validate(home, request);
        if (outcome?.kind !== "verdict") await sleep(RETRY_PAUSE_MS);
      } else {
        const requestId = `load-${client}-${count}`;
        await insist(random, names, home, (node) => validate(node, { ...request, requestId }));
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
    for (const each of clients.values()) each.close();
  }

  const running = names.flatMap((home, index) =>
    Array.from({ length: clientsPerNode }, (_, client) => runClient(index * clientsPerNode + client, home)),
  );
  return {
    calls,
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

/** Makes one call until it is answered, and sometimes once more. */
async function insist(
  random: SeededRandom,
  names: readonly string[],
  home: string,
  validate: (node: string) => Promise<Call["outcome"] | undefined>,
): Promise<void> {
  const anyNode = () => random.weighted(names.map((name) => [name, 1] as const));
  let outcome = await validate(home);
  for (let attempt = 1; outcome?.kind !== "verdict" && attempt < ATTEMPTS_MAX; attempt++) {
    await sleep(RETRY_PAUSE_MS);
    outcome = await validate(anyNode());
  }
  if (random.fraction() < REPEATED_SHARE) await validate(anyNode());
}
