import type { AccessLogEntry } from "./access-log.ts";

/** How many of the busiest clients become consumers. */
export const CONSUMERS_MAX = 50;
/** Pools are smaller than the traffic, so that credits run out during the replay. */
const POOL_SHARE = 0.8;

/** What the access log implies for a client that becomes a consumer. */
export interface ConsumerExpectation {
  clientAddress: string;
  requests: number;
  /** Credits; each request costs one. */
  poolCredits: number;
  granted: number;
  usageExceeded: number;
  creditsLeft: number;
}

/** What the access log implies for the whole replay. */
export interface Expectation {
  /** Busiest first; equally busy ones by address. */
  consumers: ConsumerExpectation[];
  /** Clients that are no consumers. */
  otherClients: number;
  /** Requests of those: their keys are unknown, and they get NOT_FOUND. */
  otherRequests: number;
  requests: number;
}

/** Derives from the log, without asking the service, what a replay must come to. */
export function expectationOf(entries: readonly AccessLogEntry[]): Expectation {
  const requestsByClient = new Map<string, number>();
  for (const { clientAddress } of entries) {
    requestsByClient.set(clientAddress, (requestsByClient.get(clientAddress) ?? 0) + 1);
  }
  const ranked = [...requestsByClient].sort(([address, requests], [otherAddress, otherRequests]) => {
    // By code unit and not by locale, which differs between machines.
    return otherRequests - requests || (address < otherAddress ? -1 : 1);
  });
  const consumers = ranked.slice(0, CONSUMERS_MAX).map(([address, requests]) => consumerExpectation(address, requests));
  const consumerRequests = consumers.reduce((sum, { requests }) => sum + requests, 0);
  return {
    consumers,
    otherClients: ranked.length - consumers.length,
    otherRequests: entries.length - consumerRequests,
    requests: entries.length,
  };
}

function consumerExpectation(clientAddress: string, requests: number): ConsumerExpectation {
  const poolCredits = Math.max(1, Math.floor(POOL_SHARE * requests));
  const granted = Math.min(poolCredits, requests);
  return {
    clientAddress,
    requests,
    poolCredits,
    granted,
    usageExceeded: requests - granted,
    creditsLeft: poolCredits - granted,
  };
}
