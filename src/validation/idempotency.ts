import type { Meter } from "./verdict.ts";

/** For how long the same requestId is the same call. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** What makes two calls with one requestId the same call. */
export interface CallFingerprint {
  keyId: string;
  cost: number;
  apiId: string | null;
}

/** A VALID verdict under the caller's requestId, as it is stored, in the collection `verdicts`. Denials are not stored. */
export interface RememberedVerdict extends CallFingerprint {
  /** Project, consumer and requestId: another project's or consumer's id is another call. */
  _id: string;
  at: Date;
  /** Pool and rate window as the verdict showed them, at `at`. */
  pool: Meter;
}

export function verdictId(projectId: string, consumerId: string, requestId: string): string {
  return `${projectId}:${consumerId}:${requestId}`;
}

export function isSameCall(remembered: CallFingerprint, call: CallFingerprint): boolean {
  return remembered.keyId === call.keyId && remembered.cost === call.cost && remembered.apiId === call.apiId;
}

/** Whether a verdict still counts at `nowMs`, whether or not the database has cleared it up. */
export function isRemembered({ at }: RememberedVerdict, nowMs: number): boolean {
  return at.getTime() + REMEMBERED_MS > nowMs;
}
