import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerListItemSchema,
  type ConsumerServiceListRequest,
  ConsumerSortBy,
  ConsumerStatus as ConsumerStatusProto,
  SortOrder,
} from "../../gen/keysvc/v1/consumer_pb.js";
import type { ConsumerStatus, ListedConsumer } from "../consumer/consumer.ts";
import { remaining, settle } from "../credits/pool.ts";
import { present } from "../lib/present.ts";
import type { ListQuery, SortBy } from "./listing.ts";

const STATUSES = new Map<ConsumerStatusProto, ConsumerStatus>([
  [ConsumerStatusProto.ACTIVE, "active"],
  [ConsumerStatusProto.DISABLED, "disabled"],
  [ConsumerStatusProto.DELETED, "deleted"],
]);
const STATUS_NUMBERS = new Map([...STATUSES].map(([number, status]) => [status, number]));

const SORT_BY = new Map<ConsumerSortBy, SortBy>([
  [ConsumerSortBy.UNSPECIFIED, "createdAt"],
  [ConsumerSortBy.CREATED_AT, "createdAt"],
  [ConsumerSortBy.NAME, "name"],
  [ConsumerSortBy.STATUS, "status"],
  [ConsumerSortBy.CREDITS_USED, "creditsUsed"],
  [ConsumerSortBy.CREDITS_REMAINING, "creditsRemaining"],
]);

/** The query of a request; 25 a page, the newest first, unless it says otherwise. */
export function fromProtoQuery(request: ConsumerServiceListRequest): ListQuery {
  return {
    page: Number(request.page ?? 1n),
    limit: request.limit ?? 25,
    search: request.search,
    planId: request.planId,
    status: STATUSES.get(request.status),
    sortBy: SORT_BY.get(request.sortBy) ?? "createdAt",
    sortOrder: request.sortOrder === SortOrder.ASC ? "asc" : "desc",
  };
}

export function toProtoSort({ sortBy, sortOrder }: ListQuery): { sortBy: ConsumerSortBy; sortOrder: SortOrder } {
  const [number] = [...SORT_BY].findLast(([, word]) => word === sortBy) ?? [ConsumerSortBy.CREATED_AT];
  return { sortBy: number, sortOrder: sortOrder === "asc" ? SortOrder.ASC : SortOrder.DESC };
}

/** A consumer at `nowMs`, as a list shows it. */
export function toProtoItem(consumer: ListedConsumer, nowMs: number): MessageInitShape<typeof ConsumerListItemSchema> {
  const pool = consumer.credits && settle(consumer.credits, nowMs);
  return {
    consumerId: consumer._id,
    ...present({ name: consumer.name, imageUrl: consumer.imageUrl, planId: consumer.planId }),
    createdAt: timestampFromDate(consumer.createdAt),
    status: STATUS_NUMBERS.get(consumer.status) ?? ConsumerStatusProto.UNSPECIFIED,
    apiKeyCount: consumer.keyCount,
    ...(pool && {
      credits: {
        limit: BigInt(pool.limit),
        used: BigInt(pool.used),
        remaining: BigInt(remaining(pool, nowMs)),
        ...(pool.refill && { refill: { nextRefillAt: BigInt(pool.refill.nextRefillAt) } }),
      },
    }),
  };
}
