import type { ConsumerStatus } from "../consumer/consumer.ts";

/** What a list of consumers can be sorted by. */
export type SortBy = "createdAt" | "name" | "status" | "creditsUsed" | "creditsRemaining";

/** Which consumers, in which order. */
export interface ListQuery {
  /** From 1. */
  page: number;
  limit: number;
  /** Part of name or id, in any case; undefined: all. */
  search: string | undefined;
  planId: string | undefined;
  status: ConsumerStatus | undefined;
  sortBy: SortBy;
  sortOrder: "asc" | "desc";
}
