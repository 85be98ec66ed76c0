import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { QUEUES } from "../../src/journal/queue.ts";
import { openJournal, stepUntil, type TestJournal } from "../harness/journal.ts";

let journal: TestJournal;
const opened: TestJournal[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});

describe.each(QUEUES)("an intention of $collection that is older than the server's memory", (queue) => {
  beforeEach(async () => {
    journal = await openJournal(queue);
    opened.push(journal);
  });

  it.each([0, 30, 90])("is completed by looking what is there, of which %i of 90 events are", async (count) => {
    await journal.write(90);
    await stepUntil(await journal.drainer(), "planned");
    await journal.insertSome(0, count);
    await journal.age();
    await journal.expireLease();
    await journal.forgetSession();
    const next = await journal.drainer();
    await stepUntil(next, "renumbered");
    await stepUntil(next, "idle");
    await journal.expectDrained();
  });

  it("is completed by a second, when the first to do so ended half-way", async () => {
    await journal.write(90);
    await stepUntil(await journal.drainer(), "planned");
    await journal.insertSome(0, 30);
    await journal.age();
    await journal.expireLease();
    await journal.forgetSession();
    await stepUntil(await journal.drainer(), "renumbered");
    await journal.insertSome(30, 60);
    await journal.expireLease();
    await stepUntil(await journal.drainer(), "idle");
    await journal.expectDrained();
  });

  it("is not inserted by who had planned it, slept, and does not know how long", async () => {
    await journal.write(90);
    const sleeper = await journal.drainer(() => 0);
    await stepUntil(sleeper, "planned");
    await journal.age();
    await journal.expireLease();
    await journal.forgetSession();
    const next = await journal.drainer();
    await stepUntil(next, "renumbered");
    expect(await sleeper.step()).toBe("lost");
    await stepUntil(next, "idle");
    expect(await sleeper.step()).toBe("waiting");
    await journal.expectDrained();
  });

  it("is looked at anew by who had planned it, slept, and knows", async () => {
    let nowMs = 0;
    await journal.write(90);
    const sleeper = await journal.drainer(() => nowMs);
    await stepUntil(sleeper, "planned");
    await journal.insertSome(0, 90);
    await journal.age();
    await journal.forgetSession();
    nowMs = 31 * 60_000;
    expect([await sleeper.step(), await sleeper.step()]).toEqual(["taken", "renumbered"]);
    await stepUntil(sleeper, "idle");
    await journal.expectDrained();
  });

  it("is completed in another session, when the server knows higher numbers, as after a restored backup", async () => {
    await journal.write(10);
    const first = await journal.drainer();
    await stepUntil(first, "idle");
    for (let count = 0; count < 5; count++) {
      await journal.write(10);
      await stepUntil(first, "finished");
    }
    await journal.db
      .collection<{ _id: string }>("settings")
      .updateOne({ _id: queue.state }, { $set: { txnNumber: 1, until: new Date(0) } });
    await journal.write(10);
    const next = await journal.drainer();
    await stepUntil(next, "renumbered");
    await stepUntil(next, "idle");
    await journal.expectDrained();
  });
});
