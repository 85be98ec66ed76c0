import type { Db } from "mongodb";
import type { Consumer } from "../../src/consumer/consumer.ts";
import type { ServiceProcess } from "../harness/process.ts";
import { PROJECT_KEY, postJson } from "../harness/service.ts";
import type { PoolTerms, Terms } from "./ledger.ts";

/** A consumer of the load, with the key that its calls present. */
export interface Customer {
  terms: Terms;
  key: string;
  /** How often it is called, beside the others. */
  weight: number;
}

interface Kind {
  pool?: PoolTerms;
  window?: { limit: number; windowMs: number };
  isDisabled?: boolean;
  weight?: number;
}

/** Much shorter than the shortest that can be asked for, which is an hour. */
const REFILL_MS = 1_500;
const WINDOW = { limit: 50, windowMs: 2_000 };
/** Full in every window, however slow the machine is. */
const NARROW_WINDOW = { limit: 10, windowMs: 2_000 };

/** A mix of everything that is settled in different ways. @param scale of the pools, for loads that last longer */
function mixOf(scale: number, firstAt: number): Kind[] {
  const pool = (limit: number, overage = 0): PoolTerms => ({ limit: limit * scale, overage, refill: null });
  const refilled = (policy: "reset" | "add", limit: number, credit: number, overage: number): PoolTerms => {
    return { limit, overage, refill: { policy, credit, everyMs: REFILL_MS, firstAt } };
  };
  return [
    { pool: pool(5_000), weight: 4 },
    { pool: pool(5_000), weight: 2 },
    // Soon empty.
    { pool: pool(100) },
    { pool: pool(200, 50) },
    { pool: pool(2_000, 500), weight: 2 },
    { pool: refilled("reset", 80, 60, 0), weight: 2 },
    { pool: refilled("reset", 60, 60, 20), weight: 2 },
    { pool: refilled("add", 100, 50, 0), weight: 2 },
    { pool: refilled("add", 20, 70, 30), weight: 2 },
    { window: WINDOW, weight: 2 },
    { window: NARROW_WINDOW, weight: 2 },
    { window: NARROW_WINDOW, pool: refilled("reset", 30, 30, 0), weight: 2 },
    { window: WINDOW, pool: pool(2_000), weight: 2 },
    {},
    {},
    { isDisabled: true },
  ];
}

/**
 * Makes the consumers of a load, which begins before the first refill at `firstAt`. Refill intervals are written to the
 * database, so nodes that have seen the consumers must be started again.
 */
export async function createMixedConsumers(
  { url }: ServiceProcess,
  db: Db,
  firstAt: number,
  scale = 1,
): Promise<Customer[]> {
  const call = async (path: string, body: object) => {
    const answer = await postJson(url + path, body, PROJECT_KEY);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const customers: Customer[] = [];
  let missing = "";
  for (const { pool = null, window = null, isDisabled = false, weight = 1 } of mixOf(scale, firstAt)) {
    const { consumerId } = await call("/consumer/create", {
      ...(pool && { credits: creditsOf(pool) }),
      ...(window && { rateLimit: { limit: window.limit, window: window.windowMs / 1_000 } }),
    });
    const { key } = await call("/key/create", { consumerId });
    if (isDisabled) await call("/consumer/update", { consumerId, status: "disabled" });
    if (pool?.refill) await shortenRefill(db, consumerId, firstAt);
    customers.push({
      terms: { consumerId, code: isDisabled ? "CONSUMER_DISABLED" : "VALID", pool, window },
      key,
      weight,
    });
    missing = key;
  }
  // One whose checksum is right, because it was a key once.
  const { consumerId } = await call("/consumer/create", {});
  const { key, keyId } = await call("/key/create", { consumerId });
  await call("/key/delete", { keyId });
  const nobody: Terms = { consumerId: "", code: "NOT_FOUND", pool: null, window: null };
  return [...customers, { terms: nobody, key, weight: 1 }, { terms: nobody, key: `${missing}x`, weight: 1 }];
}

function creditsOf({ limit, overage, refill }: PoolTerms): object {
  return {
    limit,
    ...(overage > 0 && { overage: { enabled: true, limit: overage } }),
    ...(refill && { refill: { every: "1h", refillCredit: refill.credit, refillPolicy: refill.policy } }),
  };
}

async function shortenRefill(db: Db, consumerId: string, firstAt: number): Promise<void> {
  const schedule = { "credits.refill.everyMs": REFILL_MS, "credits.refill.nextRefillAt": firstAt };
  // Served by _id.
  await db.collection<Consumer>("consumers").updateOne({ _id: consumerId }, { $set: schedule });
}
