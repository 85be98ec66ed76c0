/** The client of keysvc: every method, `verify` and `ingest`. The middleware is in modules of its own, one for each framework. */
export type * from "../gen/api.ts";
export type { TrafficEventInput as TrafficEvent } from "../gen/api.ts";
export type { CallOptions, RowStream, SafeCallOptions } from "./call.ts";
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  ConfigurationError,
  KeysvcError,
  QueueFullError,
  TimeoutError,
  TransportError,
} from "./errors.ts";
export { type ClientAPI, type ClientOptions, KeysvcClient, type VerifyOptions } from "./keysvc-client.ts";
export type { Fetch, ServiceOptions } from "./settings.ts";
export type { VerificationResult } from "./verification.ts";
