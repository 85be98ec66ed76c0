import { expect, it, vi } from "vitest";
import { ApiError, AuthenticationError, KeysvcError, TimeoutError, TransportError } from "./errors.ts";

it("errors of another copy of the library are known by instanceof, each by its own kinds", async () => {
  vi.resetModules();
  const other = await import("./errors.ts");
  expect(other.ApiError).not.toBe(ApiError);
  const denied = new other.AuthenticationError("no", { statusCode: 401 });
  const kinds = [KeysvcError, ApiError, AuthenticationError, TransportError, TimeoutError];
  expect(kinds.map((Kind) => denied instanceof Kind)).toEqual([true, true, true, false, false]);
  const late = new other.TimeoutError("late");
  expect(kinds.map((Kind) => late instanceof Kind)).toEqual([true, false, false, true, true]);
});

it("a class that is derived from an error knows its own alone", () => {
  class OwnError extends ApiError {}
  const own = new OwnError("own", { statusCode: 400 });
  expect([own instanceof OwnError, own instanceof ApiError, own instanceof AuthenticationError]).toEqual([
    true,
    true,
    false,
  ]);
  expect(new ApiError("no", { statusCode: 400 }) instanceof OwnError).toBe(false);
});

it("what is no error of the library is none", () => {
  const others: unknown[] = [new Error("x"), {}, null, undefined, "KeysvcError"];
  expect(others.filter((other) => other instanceof KeysvcError)).toEqual([]);
});
