import { MongoBulkWriteError, MongoNetworkError, MongoServerError } from "mongodb";
import { describe, expect, it } from "vitest";
import { classifyMongoError, isDuplicateKey, isUndone, wasUndoneByDatabase } from "./classify-error.ts";

const TRANSIENT = "TransientTransactionError";
const UNKNOWN = "UnknownTransactionCommitResult";

function serverError(code: number, ...errorLabels: string[]): MongoServerError {
  return new MongoServerError({ message: "refused", code, errorLabels });
}

function networkError(): MongoNetworkError {
  const error = new MongoNetworkError("connection closed");
  error.addErrorLabel(TRANSIENT);
  return error;
}

describe("a transaction whose session was ended in the middle", () => {
  it.each([
    ["Interrupted", 11601],
    ["CursorNotFound", 43],
    ["CursorKilled", 237],
    ["NoSuchTransaction", 251],
  ])("%s: it was undone when it had not begun to commit, is not known when it had, and is never a 500", (_, code) => {
    expect(isUndone(serverError(code))).toBe(true);
    expect(isUndone(serverError(code, UNKNOWN))).toBe(false);
    expect(classifyMongoError(serverError(code))?.reason).toBe("DATABASE_UNAVAILABLE");
    expect(classifyMongoError(serverError(code, UNKNOWN))?.reason).toBe("DATABASE_UNAVAILABLE");
  });
});

describe("a read of a moment of which the database has no snapshot", () => {
  it.each([
    ["SnapshotTooOld", 239],
    ["SnapshotUnavailable", 246],
  ])("%s: it may be read again, and is never a 500", (_, code) => {
    expect(classifyMongoError(serverError(code))?.reason).toBe("DATABASE_UNAVAILABLE");
  });
});

describe("a unique index that refused a write", () => {
  it("is neither out of reach nor undone by others: who wrote decides what it means", () => {
    const error = serverError(11000);
    expect(isDuplicateKey(error)).toBe(true);
    expect(isUndone(error)).toBe(false);
    expect(classifyMongoError(error)).toBeUndefined();
  });
});

describe("whether the database has undone a transaction", () => {
  it("is certain when it says so", () => {
    expect(wasUndoneByDatabase(serverError(112, TRANSIENT))).toBe(true);
  });

  it("is not when a connection broke, when an operation was cut off, or when the work itself failed", () => {
    // What was written by then has no part in it.
    const wrapping = new MongoBulkWriteError(networkError(), {} as never);
    wrapping.addErrorLabel(TRANSIENT);
    for (const error of [networkError(), wrapping, serverError(11601), new Error("outdated")]) {
      expect(wasUndoneByDatabase(error)).toBe(false);
    }
  });
});
