import {
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from "mongodb";
import { databaseUnavailable, Fault } from "../lib/fault.ts";

/** Primaries that step down, shut down or are not there, and operations that were cut off by it. */
const UNAVAILABLE_CODES = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436,
]);
/** Operations whose session or cursor another node, or a failover, has ended. */
const CUT_OFF_CODES = new Set([43, 237, 251, 11601]);
/** Reads of a moment that the database does not keep any more, or has not come to yet: a later one has another moment. */
const SNAPSHOT_CODES = new Set([239, 246]);
/** A later attempt may succeed: the database changed hands, or others wrote the same at once. */
const RETRYABLE_LABELS = ["RetryableWriteError", "TransientTransactionError", "UnknownTransactionCommitResult"];
/** What a unique index refuses a write with. */
export const DUPLICATE_KEY = 11000;
const HISTORY_LOST_CODES = new Set([234, 260, 280, 286]);
const NAMESPACE_EXISTS = 48;
const INDEX_OPTIONS_CONFLICT = 85;
const MISSING_CODES = new Set([26, 27]);
/** Undoes the transaction that it comes to. */
const WRITE_CONFLICT = 112;

/** What the system says of a connection that is gone, where the driver hands it on as it is. */
const SOCKET_CODES = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "ETIMEDOUT", "EHOSTUNREACH"]);

/** The fault of an error of the driver: out of reach when that is what it says; undefined for everything else. */
export function classifyMongoError(error: unknown): Fault | undefined {
  if (isSocketError(error)) return databaseUnavailable(error);
  if (!(error instanceof MongoError) || !isUnavailable(error)) return undefined;
  return error.code === WRITE_CONFLICT ? contended(error) : databaseUnavailable(error);
}

/** The fault of a transaction that others came in the way of, again and again. */
export function contended(cause: unknown): Fault {
  const detail = "others kept changing the same thing; nothing was changed";
  return new Fault("CONTENDED", detail, { retryAfterSeconds: 1, cause });
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && "code" in error && SOCKET_CODES.has(String(error.code));
}

function isUnavailable(error: MongoError): boolean {
  if (error instanceof MongoServerError) {
    // The error of a bulk write may wrap one of the driver.
    const wrapped: unknown = error.errorResponse;
    if (wrapped instanceof MongoError && isUnavailable(wrapped)) return true;
    const code = Number(error.code);
    if (UNAVAILABLE_CODES.has(code) || SNAPSHOT_CODES.has(code) || isCutOff(error)) return true;
    return RETRYABLE_LABELS.some((label) => error.hasErrorLabel(label));
  }
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error.name === "MongoPoolClearedError" ||
    error.name === "MongoPoolClosedError" ||
    error.name === "PoolClearedOnNetworkError" ||
    error.name === "MongoWaitQueueTimeoutError"
  );
}

/** Whether a unique index refused a write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether an operation was cut off in the middle. When that was a commit, it may have been done all the same. */
export function isCutOff(error: unknown): boolean {
  return error instanceof MongoServerError && CUT_OFF_CODES.has(Number(error.code));
}

/**
 * Whether a transaction was undone as a whole, because others wrote the same, the primary changed, or its session was ended:
 * it may be run again. Errors of commits of which nothing is known carry the label that says so.
 */
export function isUndone(error: unknown): boolean {
  if (!(error instanceof MongoError) || error.hasErrorLabel("UnknownTransactionCommitResult")) return false;
  return error.hasErrorLabel("TransientTransactionError") || error.code === WRITE_CONFLICT || isCutOff(error);
}

/**
 * Whether the database itself said that it has undone a transaction. The driver puts the same label on connections that
 * broke, and then the transaction may be open.
 */
export function wasUndoneByDatabase(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || !error.hasErrorLabel("TransientTransactionError")) return false;
  // The error of a bulk write may wrap one of the driver.
  const wrapped: unknown = error.errorResponse;
  return !(wrapped instanceof MongoError) || wrapped instanceof MongoServerError;
}

/** Whether a change stream cannot go on where it was: what happened since is not known any more. */
export function isHistoryLost(error: unknown): boolean {
  return error instanceof MongoServerError && HISTORY_LOST_CODES.has(Number(error.code));
}

/** Whether there is such a collection already. */
export function isThereAlready(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === NAMESPACE_EXISTS;
}

/** Whether there is an index of that name with other options. */
export function isOtherwiseThere(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === INDEX_OPTIONS_CONFLICT;
}

/** Whether there is no such collection or index. */
export function isMissing(error: unknown): boolean {
  return error instanceof MongoServerError && MISSING_CODES.has(Number(error.code));
}
