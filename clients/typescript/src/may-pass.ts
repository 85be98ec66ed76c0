import { ApiError, TransportError } from "./errors.ts";

/** Whether another try may succeed: the connection failed, or the service could not do it now. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.statusCode === 429 || error.statusCode >= 500;
  return error instanceof TransportError;
}
