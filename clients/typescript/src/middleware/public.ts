/** What every adapter shows of the middleware, besides its own. */
export type { ClientAPI, VerifyOptions } from "../keysvc-client.ts";
export type { VerificationResult } from "../verification.ts";
export type { GuardControl } from "./guard.ts";
export type {
  Awaitable,
  ErrorCode,
  MiddlewareErrorEvent,
  MiddlewareOptions,
  MiddlewareRequest,
  Operation,
} from "./options.ts";
