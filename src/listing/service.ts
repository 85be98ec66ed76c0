import type { ConsumerService } from "../../gen/keysvc/v1/consumer_pb.js";
import type { ListedConsumer } from "../consumer/consumer.ts";
import type { Handlers } from "../lib/call.ts";
import { fromProtoQuery, toProtoItem, toProtoSort } from "./convert.ts";
import type { ListPage, ListQuery } from "./listing.ts";

export interface ListingServiceOptions {
  /** Which consumers of a project are on a page. */
  list: (projectId: string, query: ListQuery) => Promise<ListPage>;
  /** Consumers of the project, in no order. */
  findMany: (projectId: string, consumerIds: readonly string[]) => Promise<ListedConsumer[]>;
}

/** /consumer/list (the specification, Consumer endpoints; README.md). */
export function listingService({ list, findMany }: ListingServiceOptions): Handlers<typeof ConsumerService> {
  return {
    async list(request, { caller: { projectId } }) {
      const query = fromProtoQuery(request);
      const { consumerIds, total, filtered, nowMs } = await list(projectId, query);
      const found = new Map((await findMany(projectId, consumerIds)).map((consumer) => [consumer._id, consumer]));
      return {
        total: BigInt(total),
        filtered: BigInt(filtered),
        page: BigInt(query.page),
        limit: query.limit,
        totalPages: BigInt(Math.ceil(filtered / query.limit)),
        ...toProtoSort(query),
        // One that was removed since the page was made is left out.
        consumers: consumerIds.flatMap((id) => found.get(id) ?? []).map((consumer) => toProtoItem(consumer, nowMs)),
      };
    },
  };
}
