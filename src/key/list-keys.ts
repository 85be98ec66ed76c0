import type { MessageInitShape } from "@bufbuild/protobuf";
import type { KeyServiceListRequest, KeyServiceListResponseSchema } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer, ListedConsumer } from "../consumer/consumer.ts";
import { Fault } from "../lib/fault.ts";
import { pageOf } from "../lib/page.ts";
import { toProtoKey } from "./convert.ts";
import type { KeyStore, ListedKeys } from "./store.ts";

/** What showing keys needs of their consumers. */
export interface ListKeysOptions {
  store: Pick<KeyStore, "list">;
  /** A consumer of the project, and the database's time, epoch milliseconds; undefined when there is none, or none any more. */
  findConsumer: (projectId: string, consumerId: string) => Promise<{ consumer: Consumer; nowMs: number } | undefined>;
  /** Consumers of the project, in no order. */
  findConsumers: (projectId: string, consumerIds: readonly string[]) => Promise<ListedConsumer[]>;
  /** Consumers of the project whose recovery has ended, and whose keys may not be cleared up yet. */
  findGoneConsumers: (projectId: string, nowMs: number) => Promise<string[]>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** A page of keys of a project, or of one consumer. Throws NOT_FOUND when there is no such consumer. */
export async function listKeys(
  projectId: string,
  request: KeyServiceListRequest,
  options: ListKeysOptions,
): Promise<MessageInitShape<typeof KeyServiceListResponseSchema>> {
  const page = pageOf(request);
  const { query, nowMs } = await queryOf(projectId, request.consumerId, options);
  const { total, keys } = await options.store.list(query, page);
  const consumerIds = new Set(keys.map(({ consumerId }) => consumerId));
  const consumers = await options.findConsumers(projectId, [...consumerIds]);
  const consumerOf = new Map(consumers.map((consumer) => [consumer._id, consumer]));
  const shown = keys.flatMap((key) => {
    const consumer = consumerOf.get(key.consumerId);
    // A key whose consumer was removed since the page was read is left out.
    return consumer ? [toProtoKey(key, consumer, nowMs)] : [];
  });
  return { total: BigInt(total), page: page.page, limit: page.limit, keys: shown };
}

async function queryOf(
  projectId: string,
  consumerId: string | undefined,
  { findConsumer, findGoneConsumers, now }: ListKeysOptions,
): Promise<{ query: ListedKeys; nowMs: number }> {
  if (consumerId === undefined) {
    const nowMs = await now();
    return { query: { projectId, consumerId, exceptConsumers: await findGoneConsumers(projectId, nowMs) }, nowMs };
  }
  const found = await findConsumer(projectId, consumerId);
  if (found === undefined) throw new Fault("NOT_FOUND", "consumerId: there is no such consumer");
  return { query: { projectId, consumerId, exceptConsumers: [] }, nowMs: found.nowMs };
}
