import { afterEach, expect, it } from "vitest";
import { QUEUES, type Queue } from "../../src/journal/queue.ts";
import { openJournal, stepUntil, type TestJournal } from "../harness/journal.ts";

const opened: TestJournal[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(queue?: Queue): Promise<TestJournal> {
  const journal = await openJournal(queue);
  opened.push(journal);
  return journal;
}

async function restore(journal: TestJournal): Promise<TestJournal> {
  const other = await journal.restore();
  opened.push(other);
  // Whoever held it is not there.
  await other.expireLease();
  return other;
}

async function drain(journal: TestJournal): Promise<void> {
  await stepUntil(await journal.drainer(), "idle");
  await journal.expectDrained();
}

const STEPS = ["planned", "inserted", "removed", "finished"] as const;

it.each(QUEUES.flatMap((queue) => STEPS.map((step) => [queue.collection, step, queue] as const)))(
  "a backup of the moment when a batch of %s was %s is drained exactly once, whatever became of the batch meanwhile",
  async (_collection, step, queue) => {
    const journal = await open(queue);
    await journal.write(40);
    // A batch before, so that the state knows its journal.
    await stepUntil(await journal.drainer(), "finished");
    await journal.expireLease();
    await journal.write(30);
    const drainer = await journal.drainer();
    await stepUntil(drainer, step);
    const restored = await restore(journal);
    await stepUntil(drainer, "idle");
    await journal.expectDrained();
    await drain(restored);
    await restored.write(20);
    await restored.expireLease();
    await drain(restored);
  },
);

it("a backup that is restored on another server, which has never seen the session, gets no event twice", async () => {
  const journal = await open();
  await journal.write(40);
  await stepUntil(await journal.drainer(), "finished");
  await journal.expireLease();
  await journal.write(30);
  await stepUntil(await journal.drainer(), "inserted");
  const restored = await restore(journal);
  await restored.forgetSession();
  await drain(restored);
});

it("events that a restored backup gets do not pass for those that the original got under the same number", async () => {
  const journal = await open();
  await journal.write(40);
  const drainer = await journal.drainer();
  await stepUntil(drainer, "idle");
  const restored = await restore(journal);
  await journal.write(25);
  await stepUntil(drainer, "inserted");
  await restored.write(35);
  await drain(restored);
  await stepUntil(drainer, "idle");
  await journal.expectDrained();
});

it("a state of an earlier version, which does not name its journal, is gone on with as it is", async () => {
  const journal = await open();
  await journal.write(40);
  await stepUntil(await journal.drainer(), "inserted");
  const states = journal.db.collection<{ _id: string; session: unknown; journalId?: string }>("settings");
  const before = await states.findOneAndUpdate({ _id: "journalDrain" }, { $unset: { journalId: 1 } });
  await journal.expireLease();
  await drain(journal);
  const after = await states.findOne({ _id: "journalDrain" });
  expect(after?.session).toEqual(before?.session);
  expect(after?.journalId).toMatch(/^[\da-f]{32}$/);
});
