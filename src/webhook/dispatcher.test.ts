import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type Delivery, newDelivery } from "./delivery.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { DueDelivery, WebhookStore } from "./store.ts";

let dispatcher: Dispatcher | undefined;
let endAll: () => void = () => undefined;
afterEach(async () => {
  endAll();
  await dispatcher?.stop();
});

const delivery = (host: string, projectId = "project_1"): Delivery =>
  newDelivery({
    ...{ type: "key.created", projectId, consumerId: "consumer_1", atMs: 0, data: {} },
    url: `https://${host}/`,
  });

/** Deliveries that are due until somebody claims them, found as the database finds them. */
function storeOf(waiting: Delivery[]): Pick<WebhookStore, "findDue" | "claim"> {
  return {
    async findDue(_nowMs, count, { hosts, projectIds }) {
      const due = waiting.filter(({ host, projectId }) => !hosts.includes(host) && !projectIds.includes(projectId));
      return due.slice(0, count);
    },
    async claim({ _id }: DueDelivery) {
      const index = waiting.findIndex((one) => one._id === _id);
      return index < 0 ? undefined : waiting.splice(index, 1)[0];
    },
  };
}

interface Attempts {
  /** Hosts of attempts that have begun. */
  begun: string[];
  /** Ends those that wait. */
  end: (() => void)[];
  cutOff: number;
}

/** Attempts that end when they are told to, or are cut off; some end at once. */
function startDispatcher(waiting: Delivery[], endsAtOnce: (host: string) => boolean = () => false): Attempts {
  const attempts: Attempts = { begun: [], end: [], cutOff: 0 };
  let isOver = false;
  endAll = () => {
    isOver = true;
    for (const end of attempts.end) end();
  };
  dispatcher = new Dispatcher({
    store: storeOf(waiting),
    attempt: async ({ host }, _claimId, signal) => {
      attempts.begun.push(host);
      if (isOver || endsAtOnce(host)) return;
      await new Promise<void>((resolve) => {
        attempts.end.push(resolve);
        signal.addEventListener("abort", () => {
          attempts.cutOff++;
          resolve();
        });
      });
    },
    now: async () => ({ earliestMs: 0, latestMs: 0 }),
    createClaimId: () => "claim",
    onFailure: (error) => {
      throw error;
    },
  });
  return attempts;
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await sleep(10);
}
const many = (count: number, make: () => Delivery) => Array.from({ length: count }, make);

it("a host that hangs has a few attempts at once, and all others get theirs", async () => {
  const others = many(20, () => delivery("other.example"));
  const attempts = startDispatcher([...many(200, () => delivery("dead.example")), ...others], (host) =>
    host.startsWith("other"),
  );
  await until(() => attempts.begun.filter((host) => host === "other.example").length === 20);
  expect(attempts.begun.filter((host) => host === "dead.example")).toHaveLength(8);
});

it("a project whose many hosts hang leaves places to others", async () => {
  const hanging = Array.from({ length: 100 }, (_, index) => delivery(`dead${index}.example`));
  const attempts = startDispatcher([...hanging, delivery("other.example", "project_2")]);
  await until(() => attempts.begun.includes("other.example"));
  expect(attempts.begun).toHaveLength(65);
});

it("a place that is free is taken at once: a receiver that answers gets its events one after the other", async () => {
  const attempts = startDispatcher(
    many(300, () => delivery("quick.example")),
    () => true,
  );
  await until(() => attempts.begun.length === 300);
});

it("a stop lets attempts end, cuts off those that do not, and begins none", async () => {
  const waiting = many(3, () => delivery("dead.example"));
  const attempts = startDispatcher(waiting);
  await until(() => attempts.begun.length === 3);
  attempts.end[0]?.();
  waiting.push(delivery("late.example"));
  await dispatcher?.stop();
  expect(attempts.cutOff).toBe(3);
  expect(attempts.begun).toHaveLength(3);
});
