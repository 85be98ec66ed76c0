import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Step } from "../../src/journal/drainer.ts";
import { QUEUES } from "../../src/journal/queue.ts";
import { runDrainer } from "../../src/journal/run-drainer.ts";
import { openJournal, stepUntil, type TestJournal } from "../harness/journal.ts";
import { untilDrained } from "../harness/until-drained.ts";

let journal: TestJournal;
const opened: TestJournal[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});

/** After each of these a process may end. */
const STEPS: Step[] = ["planned", "inserted", "removed", "finished"];

describe.each(QUEUES)("draining $collection", (queue) => {
  beforeEach(async () => {
    journal = await openJournal(queue);
    opened.push(journal);
  });

  it.each(STEPS)("that ends after a batch was %s goes on in another process", async (step) => {
    await journal.write(50);
    await stepUntil(await journal.drainer(), step);
    await journal.write(50);
    const next = await journal.drainer();
    expect(await next.step()).toBe("waiting");
    await journal.expireLease();
    await stepUntil(next, "idle");
    await journal.expectDrained();
  });

  it.each(STEPS)("that pauses after a batch was %s, while another goes on, does nothing twice", async (step) => {
    await journal.write(50);
    const paused = await journal.drainer();
    await stepUntil(paused, step);
    await journal.expireLease();
    const other = await journal.drainer();
    await stepUntil(other, "idle");
    for (let count = 0; count < 5; count++) await paused.step();
    await journal.expectDrained();
    // Other batches lie between, under the numbers that follow.
    await journal.write(50);
    await stepUntil(other, "inserted");
    for (let count = 0; count < 5; count++) await paused.step();
    await stepUntil(other, "idle");
    await journal.expectDrained();
  });

  it.each(STEPS)("that pauses after a batch was %s inserts nothing when another has removed it", async (step) => {
    await journal.write(50);
    const paused = await journal.drainer();
    await stepUntil(paused, step);
    await journal.write(20);
    await journal.expireLease();
    await stepUntil(await journal.drainer(), "idle");
    await journal.expireLease();
    await stepUntil(paused, "idle");
    await journal.expectDrained();
  });

  it("that pauses before it has finished a batch does not clear what another intends", async () => {
    await journal.write(50);
    const paused = await journal.drainer();
    await stepUntil(paused, "removed");
    await journal.expireLease();
    const other = await journal.drainer();
    await stepUntil(other, "finished");
    await journal.write(50);
    await stepUntil(other, "inserted");
    expect(await paused.step()).toBe("lost");
    await journal.expireLease();
    await stepUntil(await journal.drainer(), "idle");
    await journal.expectDrained();
  });

  it("completes an insert that was cut off half-way", async () => {
    await journal.write(90);
    await stepUntil(await journal.drainer(), "planned");
    await journal.insertSome(0, 30);
    await journal.expireLease();
    await stepUntil(await journal.drainer(), "idle");
    await journal.expectDrained();
  });

  it.each([20, 1_500])("is done by several at once, while entries of %d events are written", async (events) => {
    const stopped = new AbortController();
    const failures: unknown[] = [];
    const drainers = await Promise.all([0, 1, 2].map(() => journal.compacting()));
    const onFailure = (error: unknown) => failures.push(error);
    const running = drainers.map(({ drainer, compaction }) =>
      runDrainer({ drainer, compaction, signal: stopped.signal, onFailure }),
    );
    for (let count = 0; count < 40; count++) {
      await journal.write(events);
      if (count % 4 === 0) await journal.expireLease();
    }
    await untilDrained(journal.db);
    stopped.abort();
    await Promise.all(running);
    expect(failures).toEqual([]);
    await journal.expectDrained();
  });

  it.each([0, 10])(
    "gets the others in once when somebody else removes an entry of a batch of which %i events are inserted",
    async (count) => {
      for (let entry = 0; entry < 3; entry++) await journal.write(20);
      await stepUntil(await journal.drainer(), "planned");
      await journal.insertSome(0, count);
      await journal.remove(1);
      await journal.expireLease();
      const next = await journal.drainer();
      await stepUntil(next, "renumbered");
      await stepUntil(next, "idle");
      await journal.expectDrained();
    },
  );
});
