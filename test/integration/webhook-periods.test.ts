import fc from "fast-check";
import type { Collection, Db } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuditStore } from "../../src/audit/store.ts";
import type { Consumer } from "../../src/consumer/consumer.ts";
import { settleRefills } from "../../src/consumer/settle-refills.ts";
import { createConsumerStore } from "../../src/consumer/store.ts";
import { connectDatabase, type Database } from "../../src/mongo/client.ts";
import { databaseTime } from "../../src/mongo/database-time.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import { createWebhookStore } from "../../src/webhook/store.ts";
import { createConsumerWithKey, freshDatabaseUri, startService, type TestService } from "../harness/service.ts";

const HOUR_MS = 3_600_000;
/** Refused by every name server, and let pass when it is saved: events stay where they are. */
const NOWHERE = "https://hooks.invalid/";
const REFILL = { every: "1h", refillCredit: 10 };

let nodes: [TestService, TestService];
let database: Database;
let consumers: Collection<Consumer>;
beforeAll(async () => {
  const uri = freshDatabaseUri();
  const start = () => startService({ KEYSVC_MONGODB_URI: uri });
  nodes = await Promise.all([start(), start()]);
  database = await connectDatabase(uri, { giveUpHangingSockets: true });
  consumers = database.db.collection("consumers");
});
afterAll(async () => {
  await database.close();
  await nodes[0].app.stop();
  await nodes[1].close();
});

/** How many events of each type there are of a consumer, without those of its key. */
async function tally(consumerId: string): Promise<Record<string, number>> {
  const { deliveries } = await nodes[0].ok("/webhook/deliveries", { consumerId, pageSize: 200 });
  const counts: Record<string, number> = {};
  for (const { type } of deliveries) {
    const name = type.replace("consumer.credits.", "");
    if (name !== "key.created") counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The next refill is due, as it will be when the time has passed; whoever knows the consumer has to read it anew. */
async function endPeriod(consumerId: string): Promise<void> {
  const $inc = { "credits.refill.nextRefillAt": -HOUR_MS, stamp: 1 };
  await consumers.updateOne({ _id: consumerId }, { $inc });
}

/** Calls on both nodes at once. */
async function chargeAtOnce(key: string, costs: readonly number[]): Promise<void> {
  await Promise.all(
    costs.map((credits, index) => (index % 2 ? nodes[0] : nodes[1]).ok("/key/validate", { key, credits })),
  );
}

function settleAll({ client, db }: { client: Database["client"]; db: Db }): Promise<void> {
  const { change } = createAuditStore(new SessionPool(client), db, 0);
  const options = { store: createConsumerStore(db, 0), change, tell: createWebhookStore(db, 0).tell };
  return settleRefills({ ...options, now: () => databaseTime(db, 0) }, new AbortController().signal);
}

it("whatever is charged at once on two nodes, each period tells its threshold and its end once, and its refill", async () => {
  const costs = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 });
  const isSwept = fc.boolean();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ costs, isSwept }), { minLength: 1, maxLength: 4 }), async (periods) => {
      const credits = { limit: 10, shadowLimit: 6, refill: REFILL };
      const { consumerId, key } = await createConsumerWithKey(nodes[0], { webhookUrl: NOWHERE, credits });
      const expected: Record<string, number> = {};
      const expectOne = (name: string) => {
        expected[name] = (expected[name] ?? 0) + 1;
      };
      for (const [index, period] of periods.entries()) {
        if (index > 0) {
          await endPeriod(consumerId);
          expectOne("refilled");
        }
        // Charges and the sweeper are after the same refill.
        await Promise.all([chargeAtOnce(key, period.costs), index > 0 && period.isSwept && settleAll(database)]);
        // Where only checks came, or nothing but refusals, the refill is still to be settled.
        await settleAll(database);
        const { used } = (await nodes[0].ok("/consumer/details", { consumerId })).credits;
        if (used >= 6) expectOne("threshold_reached");
        if (used >= 10) expectOne("exhausted");
      }
      expect(await tally(consumerId)).toEqual(expected);
    }),
    { numRuns: 15 },
  );
}, 120_000);

describe("a refill that nobody waits for", () => {
  it("is told by housekeeping, once for all that were missed, and by whichever node", async () => {
    const credits = { limit: 10, refill: REFILL };
    const { consumerId } = await createConsumerWithKey(nodes[0], { webhookUrl: NOWHERE, credits });
    await nodes[0].ok("/consumer/update", { consumerId, credits: { used: 4 } });
    await endPeriod(consumerId);
    await endPeriod(consumerId);
    await Promise.all([settleAll(database), settleAll(database)]);
    const { deliveries } = await nodes[0].ok("/webhook/deliveries", { consumerId, pageSize: 1 });
    expect(deliveries[0].data.credits).toMatchObject({ limit: 10, used: 0, remaining: 10 });
    expect(await tally(consumerId)).toEqual({ refilled: 1 });
  });

  it("is not told of consumers that are deleted, have no address, or whose credits have expired", async () => {
    const refill = { limit: 10, refill: REFILL };
    const made = await Promise.all([
      createConsumerWithKey(nodes[0], { webhookUrl: NOWHERE, credits: refill }),
      createConsumerWithKey(nodes[0], { credits: refill }),
      createConsumerWithKey(nodes[0], { webhookUrl: NOWHERE, credits: { ...refill, expiresAt: 1 } }),
    ]);
    await nodes[0].ok("/consumer/delete", { consumerId: made[0].consumerId });
    for (const { consumerId } of made) await endPeriod(consumerId);
    await settleAll(database);
    const tallies = await Promise.all(made.map(({ consumerId }) => tally(consumerId)));
    expect(tallies).toEqual([{ "consumer.deleted": 1 }, {}, {}]);
  });

  it("leaves charges under way as they are: no credit is granted or lost", async () => {
    const credits = { limit: 1_000, refill: { ...REFILL, refillCredit: 1_000, refillPolicy: "add" } };
    const { consumerId, key } = await createConsumerWithKey(nodes[0], { webhookUrl: NOWHERE, credits });
    await endPeriod(consumerId);
    const sweeps = [0, 1, 2].map(() => settleAll(database));
    await Promise.all([
      chargeAtOnce(
        key,
        Array.from({ length: 60 }, () => 1),
      ),
      ...sweeps,
    ]);
    const after = await nodes[1].ok("/consumer/details", { consumerId });
    expect(after.credits).toMatchObject({ limit: 2_000, used: 60, remaining: 1_940 });
    expect(await tally(consumerId)).toEqual({ refilled: 1 });
  });
});
