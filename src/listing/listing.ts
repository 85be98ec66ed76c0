import type { ConsumerStatus } from "../consumer/consumer.ts";
import { type Pool, remaining, settle } from "../credits/pool.ts";

/** What a list of consumers can be sorted by. */
export type SortBy = "createdAt" | "name" | "status" | "creditsUsed" | "creditsRemaining";

/** Lists of fewer consumers are read when they are first asked for, before anybody notices. */
export const PRELOADED_MIN = 20_000;

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

/** A page of a list: which consumers, how many there are, and when. */
export interface ListPage {
  consumerIds: string[];
  /** Consumers in the project. */
  total: number;
  /** Consumers after the filters. */
  filtered: number;
  /** The database's time of the list, shifted by the setting for tests, epoch milliseconds. */
  nowMs: number;
}

/** What a list needs to know of a consumer. */
export interface ListRow {
  consumerId: string;
  name: string | null;
  /** The name as searches see it; null where it is too long to be kept twice. */
  folded: string | null;
  status: ConsumerStatus;
  planId: string | null;
  /** When its recovery ends, epoch milliseconds; infinite while it is not deleted. */
  goneAtMs: number;
  credits: ListCredits | null;
}

/** A pool, as small as it can be kept: what many have in common is in `terms`. */
export interface ListCredits {
  limit: number;
  used: number;
  /** Infinite without a refill. */
  nextRefillAt: number;
  expiresAt: number | null;
  terms: ListTerms;
}

/** Of a pool, what consumers of one plan share. */
export interface ListTerms {
  /** The same for the same terms, and never empty. */
  id: string;
  overage: Pool["overage"];
  refill: Omit<NonNullable<Pool["refill"]>, "nextRefillAt"> | null;
}

/**
 * A text without its case. Lower case first: some letters are upper case of none that they go back to, such as the Kelvin sign
 * and ẞ. Upper case last: it does not depend on what stands around a letter.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Credits used, refills that are due included; nothing for unlimited usage. */
export function creditsUsed(credits: ListCredits | null, nowMs: number): number {
  if (credits === null) return 0;
  return nowMs < credits.nextRefillAt ? credits.used : settle(toPool(credits), nowMs).used;
}

/** Credits that remain, refills that are due included; infinitely many for unlimited usage. */
export function creditsRemaining(credits: ListCredits | null, nowMs: number): number {
  if (credits === null) return Number.POSITIVE_INFINITY;
  return remaining(settle(toPool(credits), nowMs), nowMs);
}

function toPool({ limit, used, nextRefillAt, expiresAt, terms: { overage, refill } }: ListCredits): Pool {
  return { limit, used, shadowLimit: null, overage, refill: refill && { ...refill, nextRefillAt }, expiresAt };
}

/** Compares texts by their code points, as MongoDB does; null comes first. */
export function compareText(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at === length ? a.length - b.length : codePointOrder(a.charCodeAt(at)) - codePointOrder(b.charCodeAt(at));
}

/** Halves of characters beyond the basic plane sort after everything in it. */
function codePointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
