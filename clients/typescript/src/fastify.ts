/** The middleware for Fastify 5. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { connectionAddress } from "./middleware/client-address.ts";
import { Guard } from "./middleware/guard.ts";
import { enterNode, socketAddress } from "./middleware/node-guard.ts";
import type { MiddlewareOptions } from "./middleware/options.ts";
import type { Passage } from "./middleware/passage.ts";
import type { VerificationResult } from "./verification.ts";

export { decisionOf, validationErrorOf } from "./middleware/context.ts";
export type * from "./middleware/public.ts";

/** What a request knows of its key. */
export interface RequestKeysvc {
  /** What the service said; undefined where it was not asked, or did not answer. */
  readonly decision: VerificationResult | undefined;
  /** Why there is no decision although the request was let through, in the failure mode `open`. */
  readonly error: unknown;
}

declare module "fastify" {
  interface FastifyRequest {
    /** What is known of the request's key; null where it was bypassed. */
    keysvc: RequestKeysvc | null;
  }
}

/** A service that does not answer would hold up every stop of the application. */
const CLOSE_MS_MAX = 10_000;

/**
 * Guards all routes of the instance that it is registered with, and of those below: `await app.register(keysvcGuard, options)`.
 * Closing the instance sends the events that wait, for at most 10 s. The decision is `request.keysvc?.decision`.
 *
 * @throws ConfigurationError when an option cannot be used
 */
export async function keysvcGuard(app: FastifyInstance, options: MiddlewareOptions<FastifyRequest>): Promise<void> {
  const guard = new Guard(options);
  // A part of an application may have a guard besides that of the whole.
  if (!app.hasRequestDecorator("keysvc")) app.decorateRequest("keysvc", null);
  if (guard.settings === undefined) return;
  app.addHook("onRequest", (request, reply) => admit(guard, request, reply));
  app.addHook("onClose", async () => {
    // Those that are lost then are told to onError: they must not keep the application from closing.
    await guard.close({ signal: AbortSignal.timeout(CLOSE_MS_MAX) }).catch(() => undefined);
  });
}

// Hooks are to be those of the instance that it is registered with, not of one of its own.
Object.assign(keysvcGuard, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "keysvc",
  [Symbol.for("plugin-meta")]: { name: "keysvc", fastify: "5.x" },
});

async function admit(guard: Guard<FastifyRequest>, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const entry = await enterNode(guard, {
    message: request.raw,
    response: reply.raw,
    raw: request,
    target: request.originalUrl,
    routedTarget: request.raw.url ?? request.originalUrl,
    address: () => connectionAddress(request.ip) ?? socketAddress(request.raw),
    route: () => request.routeOptions.url,
  });
  if (entry === undefined) return;
  const { admission, passage } = entry;
  // A second guard that decides nothing, because it only records, hides nothing.
  const isDecided = passage.decision !== undefined || passage.failure !== undefined;
  if (isDecided || !request.keysvc) request.keysvc = known(passage);
  if (admission.kind === "gone") return reply.hijack();
  if (admission.kind === "deny") {
    const { status, headers, body } = admission.denial;
    // Of a text, Fastify would add the charset to a type that has none.
    return reply.code(status).headers(headers).send(Buffer.from(body));
  }
}

function known(passage: Passage<FastifyRequest>): RequestKeysvc {
  return { decision: passage.decision, error: passage.failure };
}
