import { createKeyValue } from "../key/key-value.ts";
import { forEachConcurrently } from "../lib/for-each-concurrently.ts";
import type { AccessLogEntry } from "./access-log.ts";
import type { Expectation } from "./expectation.ts";
import { addCodes, type CodeCounts, type ConsumerOutcome, type Outcome } from "./outcome.ts";
import type { ServiceClient } from "./service-client.ts";

/** Calls under way at a time. */
export const CONCURRENCY = 64;

/** A client of the log that is a consumer now. */
export interface ReplayConsumer {
  clientAddress: string;
  consumerId: string;
  key: string;
}

/** Makes a consumer with a pool and one key for each that is expected, in that order. */
export async function createConsumers(
  client: ServiceClient,
  expectation: Expectation,
  signal: AbortSignal,
): Promise<ReplayConsumer[]> {
  const made: ReplayConsumer[] = [];
  await forEachConcurrently(expectation.consumers.entries(), CONCURRENCY, signal, async ([index, expected]) => {
    const { clientAddress, poolCredits } = expected;
    const { consumerId } = await client.post<{ consumerId: string }>("/consumer/create", {
      name: clientAddress,
      credits: { limit: poolCredits },
    });
    const { key } = await client.post<{ key: string }>("/key/create", { consumerId, name: clientAddress });
    made[index] = { clientAddress, consumerId, key };
  });
  return made;
}

/**
 * Validates every request of the log in its order, several at a time: those of consumers with their key, those of any
 * other client with a made-up one that is well-formed, so that only the database tells that nobody has it.
 *
 * @param onAnswer called after each answer
 * @returns how often each code was answered, by client address
 */
export async function replayRequests(
  client: ServiceClient,
  entries: readonly AccessLogEntry[],
  consumers: readonly ReplayConsumer[],
  onAnswer: () => void,
  signal: AbortSignal,
): Promise<Map<string, Map<string, number>>> {
  const keys = new Map(consumers.map(({ clientAddress, key }) => [clientAddress, key]));
  const codes = new Map<string, Map<string, number>>();
  await forEachConcurrently(entries, CONCURRENCY, signal, async (entry) => {
    const { clientAddress } = entry;
    const key = keys.get(clientAddress) ?? createKeyValue("sk");
    keys.set(clientAddress, key);
    const code = await validate(client, entry, key);
    const counts = codes.get(clientAddress) ?? new Map<string, number>();
    codes.set(clientAddress, counts.set(code, (counts.get(code) ?? 0) + 1));
    onAnswer();
  });
  return codes;
}

/** Adds what /consumer/details says of each consumer to the codes that were answered. */
export async function collectOutcome(
  client: ServiceClient,
  consumers: readonly ReplayConsumer[],
  codesByClient: ReadonlyMap<string, CodeCounts>,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcomes: ConsumerOutcome[] = [];
  await forEachConcurrently(consumers.entries(), CONCURRENCY, signal, async ([index, consumer]) => {
    const { clientAddress, consumerId } = consumer;
    const { credits } = await client.post<{ credits: { used: number; remaining: number } }>("/consumer/details", {
      consumerId,
    });
    const codes = codesByClient.get(clientAddress) ?? new Map();
    outcomes[index] = { clientAddress, codes, creditsUsed: credits.used, creditsLeft: credits.remaining };
  });
  const names = new Set(consumers.map(({ clientAddress }) => clientAddress));
  const others = [...codesByClient].filter(([clientAddress]) => !names.has(clientAddress));
  return { consumers: outcomes, otherCodes: addCodes(others.map(([, codes]) => codes)) };
}

async function validate(client: ServiceClient, entry: AccessLogEntry, key: string): Promise<string> {
  try {
    const { code } = await client.post<{ code: string }>("/key/validate", {
      key,
      // What the log does not know is left out.
      endpoint: entry.target ?? undefined,
      method: entry.method ?? undefined,
      clientIp: entry.clientAddress,
      userAgent: entry.userAgent ?? undefined,
    });
    return code;
  } catch (error) {
    throw new Error(`line ${entry.lineNumber} of the log: ${error instanceof Error ? error.message : error}`);
  }
}
