import type { FastifyRequest } from "fastify";

/** The header of a caller that traces its calls. Of several, none is the caller's. */
export function traceparentOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  return typeof traceparent === "string" ? traceparent : undefined;
}
