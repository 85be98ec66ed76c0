import fc from "fast-check";
import { expect, it } from "vitest";
import type { Drainer } from "../../src/journal/drainer.ts";
import { QUEUES } from "../../src/journal/queue.ts";
import { openJournal, stepUntil, type TestJournal } from "../harness/journal.ts";

const DRAINERS = 3;
const AGE_MS = 31 * 60_000;

/** What may happen between two steps. */
type Happening =
  | { kind: "step" | "together" | "crash"; drainer: number }
  | { kind: "write"; events: number }
  | { kind: "expire" | "age" };

const drainer = fc.nat(DRAINERS - 1);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 12, arbitrary: drainer.map((index): Happening => ({ kind: "step", drainer: index })) },
  { weight: 3, arbitrary: drainer.map((index): Happening => ({ kind: "together", drainer: index })) },
  { weight: 2, arbitrary: drainer.map((index): Happening => ({ kind: "crash", drainer: index })) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }).map((events): Happening => ({ kind: "write", events })) },
  { weight: 4, arbitrary: fc.constant<Happening>({ kind: "expire" }) },
  { weight: 1, arbitrary: fc.constant<Happening>({ kind: "age" }) },
);

async function play(journal: TestJournal, happenings: readonly Happening[]): Promise<void> {
  let nowMs = 0;
  const open = () => journal.drainer(() => nowMs);
  const drainers: Drainer[] = await Promise.all(Array.from({ length: DRAINERS }, open));
  const at = (index: number) => drainers[index % DRAINERS] as Drainer;
  await journal.write(2);
  for (const happened of happenings) {
    if (happened.kind === "step") await at(happened.drainer).step();
    if (happened.kind === "together") await Promise.all([at(happened.drainer).step(), at(happened.drainer + 1).step()]);
    if (happened.kind === "crash") drainers[happened.drainer] = await open();
    if (happened.kind === "write") await journal.write(happened.events);
    if (happened.kind === "expire") await journal.expireLease();
    if (happened.kind === "age") {
      // Half an hour goes by, in which nobody does anything.
      nowMs += AGE_MS;
      await journal.age();
      await journal.expireLease();
      await journal.forgetSession();
    }
  }
  await journal.expireLease();
  await stepUntil(at(0), "idle");
  await journal.expectDrained();
}

it.each(QUEUES)(
  "whatever happens between the steps of several drainers, each event is in the time-series once, and $collection is empty",
  async (queue) => {
    const property = fc.asyncProperty(fc.array(happening, { minLength: 15, maxLength: 60 }), async (happenings) => {
      const journal = await openJournal(queue);
      try {
        await play(journal, happenings);
      } finally {
        await journal.close();
      }
    });
    await expect(fc.assert(property, { numRuns: 25 })).resolves.toBeUndefined();
  },
  120_000,
);
