import type { Consumer } from "../consumer/consumer.ts";
import type { Key } from "../key/key.ts";
import type { ValueOptions } from "../key/new-key.ts";
import { forEachConcurrently } from "../lib/for-each-concurrently.ts";
import type { SeededRandom } from "../lib/seeded-random.ts";
import { judge } from "../validation/verdict.ts";
import { generateConsumer, type Surroundings } from "./generate-consumer.ts";
import { generateKey } from "./generate-key.ts";
import type { Batch, SeedStore } from "./store.ts";

/** What a run has added. */
export interface Filled {
  consumers: number;
  keys: number;
  /** A key that validates; undefined when none was added. */
  sample: { value: string; consumerId: string } | undefined;
}

export interface FillOptions {
  store: Pick<SeedStore, "insertBatch">;
  random: SeededRandom;
  surroundings: Surroundings;
  valueOptions: ValueOptions;
  consumers: number;
}

/** Consumers are spread over so much of the past. */
export const AGE_MAX_MS = 2 * 365 * 24 * 3_600_000;
/** Large, for the index that grows everywhere (store.ts). */
const BATCH_DOCUMENTS = 10_000;
/** Enough to keep the database busy while the next batch is made. */
const BATCHES_UNDER_WAY = 3;
/** Below 1: from year to year there are more new consumers. */
const GROWTH = 0.7;

interface SampledBatch extends Batch {
  sample: Filled["sample"];
}

/**
 * Adds the consumers with their keys. Once it is aborted no batch is begun, those under way are finished, and it rejects
 * with the reason.
 *
 * @param filled is kept up to date with what is in the database
 */
export async function fillProject(
  options: FillOptions,
  filled: Filled,
  report: (consumers: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await forEachConcurrently(generateBatches(options), BATCHES_UNDER_WAY, signal, async (batch) => {
    await options.store.insertBatch(batch);
    filled.consumers += batch.consumers.length;
    filled.keys += batch.keys.length;
    filled.sample ??= batch.sample;
    report(filled.consumers);
  });
}

/**
 * Makes batches, oldest consumers first: their ids go up, so that the indexes grow at their ends, which costs a database
 * much less than growing everywhere.
 */
export function* generateBatches(options: Omit<FillOptions, "store">): Generator<SampledBatch> {
  const { random, surroundings, consumers: total } = options;
  const firstMs = surroundings.nowMs - AGE_MAX_MS;
  const batchConsumers = Math.ceil(BATCH_DOCUMENTS / (1 + surroundings.keysPerConsumer));
  for (let begin = 0; begin < total; begin += batchConsumers) {
    const batch: SampledBatch = { consumers: [], keys: [], sample: undefined };
    for (let index = begin; index < Math.min(begin + batchConsumers, total); index++) {
      const createdAtMs = firstMs + Math.floor(AGE_MAX_MS * ((index + random.fraction()) / total) ** GROWTH);
      addConsumer(batch, createdAtMs, options);
    }
    yield batch;
  }
}

/** Makes a consumer with its keys. */
function addConsumer(
  batch: SampledBatch,
  createdAtMs: number,
  { random, surroundings, valueOptions }: Omit<FillOptions, "store">,
): void {
  const consumer = generateConsumer(random, createdAtMs, surroundings);
  batch.consumers.push(consumer);
  for (let index = 0; index < surroundings.keysPerConsumer; index++) {
    const { key, value } = generateKey(random, consumer, index, surroundings, valueOptions);
    batch.keys.push(key);
    if (validates(key, consumer, surroundings.nowMs)) batch.sample ??= { value, consumerId: consumer._id };
  }
}

function validates(key: Key, consumer: Consumer, nowMs: number): boolean {
  return judge(key, consumer, { apiId: undefined, isApiKnown: false, cost: 1, nowMs }) === "VALID";
}
