import type { Document } from "mongodb";
import { CHARGE_SLOT_MS } from "../consumer/consumer.ts";
import type { AccountChange, Charged } from "./settle-call.ts";

/** A statement of the database command `update`. */
export interface UpdateStatement {
  q: Document;
  u: Document;
  multi: boolean;
}

export interface ChargeUpdates {
  statements: UpdateStatement[];
  /** How many consumers they match when each is still what it was decided on. */
  expectedCount: number;
}

/**
 * The updates of a batch. Consumers that are charged the same share one statement of plain additions, which costs the
 * database half of an aggregation pipeline and a fraction of a statement each; one whose refill was due or whose window is
 * new has a statement of its own.
 *
 * A statement matches a consumer only while its stamp is the one that it was decided on, and, where the consumer was not read
 * in the same transaction, while the database's clock has not passed what would change the decision. Served by _id.
 *
 * @param step by which the stamps move
 * @param clockOffsetMs how far the service's time is from the database's
 */
export function chargeUpdates(changes: readonly AccountChange[], step: number, clockOffsetMs: number): ChargeUpdates {
  const groups = new Map<string, AccountChange[]>();
  const statements: UpdateStatement[] = [];
  for (const change of changes) {
    if (!isAddition(change)) statements.push(replacement(change, step, clockOffsetMs));
    else {
      const kind = additionKey(change, clockOffsetMs);
      const group = groups.get(kind);
      if (group === undefined) groups.set(kind, [change]);
      else group.push(change);
    }
  }
  for (const group of groups.values()) statements.push(addition(group, step, clockOffsetMs));
  return { statements, expectedCount: changes.length };
}

/** Whether nothing but `used` and the count of the same window is different. */
function isAddition({ before, after }: AccountChange): boolean {
  return (
    before.credits?.limit === after.credits?.limit &&
    before.credits?.refill === after.credits?.refill &&
    before.thresholdTold === after.thresholdTold &&
    before.rateWindow?.start === after.rateWindow?.start &&
    before.rateWindow?.windowSeconds === after.rateWindow?.windowSeconds
  );
}

function usedMore({ before, after }: AccountChange): number {
  return (after.credits?.used ?? 0) - (before.credits?.used ?? 0);
}

function countedMore({ before, after }: AccountChange): number {
  return (after.rateWindow?.count ?? 0) - (before.rateWindow?.count ?? 0);
}

/** The half minute of the charge, on the database's unshifted clock; undefined for consumers without credits. */
function slotOf({ after, nowMs }: AccountChange, clockOffsetMs: number): number | undefined {
  return after.credits === null ? undefined : Math.floor((nowMs - clockOffsetMs) / CHARGE_SLOT_MS);
}

function additionKey(change: AccountChange, clockOffsetMs: number): string {
  const isKnown = change.validUntilMs === undefined ? "read" : "known";
  return `${isKnown} ${usedMore(change)} ${countedMore(change)} ${slotOf(change, clockOffsetMs)}`;
}

function addition(group: readonly AccountChange[], step: number, clockOffsetMs: number): UpdateStatement {
  // A group has at least the change that it was made for.
  const first = group[0] as AccountChange;
  const used = usedMore(first);
  const count = countedMore(first);
  const chargeSlot = slotOf(first, clockOffsetMs);
  const guard = timeGuard(group, chargeSlot, clockOffsetMs);
  return {
    q: {
      _id: { $in: group.map(({ before }) => before._id) },
      // No two consumers share a stamp, so that each is matched by its own alone.
      stamp: { $in: group.map(({ before }) => before.stamp) },
      ...(guard && { $expr: guard }),
    },
    u: {
      $inc: {
        stamp: step,
        ...(used !== 0 && { "credits.used": used }),
        ...(count !== 0 && { "rateWindow.count": count }),
      },
      ...(chargeSlot !== undefined && { $set: { chargeSlot } }),
    },
    multi: true,
  };
}

/** The database's clock is in the slot, and before the first time that would change a decision of the group. */
function timeGuard(
  group: readonly AccountChange[],
  chargeSlot: number | undefined,
  clockOffsetMs: number,
): Document | undefined {
  const ends = group.flatMap(({ validUntilMs }) => (validUntilMs === undefined ? [] : [validUntilMs]));
  if (ends.length === 0) return undefined;
  const endMs = Math.min(...ends) - clockOffsetMs;
  const slotStartMs = chargeSlot === undefined ? Number.NEGATIVE_INFINITY : chargeSlot * CHARGE_SLOT_MS;
  const slotEndMs = slotStartMs + CHARGE_SLOT_MS;
  const untilMs = chargeSlot === undefined ? endMs : Math.min(endMs, slotEndMs);
  // Constants for the database, which it compares once.
  const after = chargeSlot === undefined ? [] : [{ $gte: ["$$NOW", new Date(slotStartMs)] }];
  const before = untilMs === Number.POSITIVE_INFINITY ? [] : [{ $lt: ["$$NOW", new Date(untilMs)] }];
  return { $and: [...after, ...before] };
}

function replacement(change: AccountChange, step: number, clockOffsetMs: number): UpdateStatement {
  const { before, after } = change;
  const chargeSlot = slotOf(change, clockOffsetMs);
  const { credits, rateWindow, thresholdTold } = after;
  const set: Omit<Charged, "rateLimit"> = { credits, rateWindow, thresholdTold };
  return {
    q: { _id: before._id, stamp: before.stamp },
    u: { $inc: { stamp: step }, $set: { ...set, ...(chargeSlot !== undefined && { chargeSlot }) } },
    multi: false,
  };
}
