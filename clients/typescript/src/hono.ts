/** The middleware for Hono 4, wherever Hono runs. */
import type { Context, MiddlewareHandler } from "hono";
import { BodyCapture, isTextual } from "./middleware/body-capture.ts";
import { CONTEXT_DECISION_KEY, CONTEXT_ERROR_KEY, remember } from "./middleware/context.ts";
import type { Answer } from "./middleware/describe-event.ts";
import { Guard, type GuardControl } from "./middleware/guard.ts";
import { HonoCall, type Runtime, runtimeOf } from "./middleware/hono-call.ts";
import type { MiddlewareOptions } from "./middleware/options.ts";
import { passThrough } from "./middleware/pass-through.ts";
import type { Passage } from "./middleware/passage.ts";
import type { VerificationResult } from "./verification.ts";

export { decisionOf, validationErrorOf } from "./middleware/context.ts";
export type * from "./middleware/public.ts";

/** What the middleware keeps with a context: `new Hono<{ Variables: KeysvcVariables }>()`. */
export interface KeysvcVariables {
  /** What the service said; undefined where it was not asked, or did not answer. */
  [CONTEXT_DECISION_KEY]: VerificationResult | undefined;
  /** Why there is no decision although the request was let through, in the failure mode `open`. */
  [CONTEXT_ERROR_KEY]: unknown;
}

/** The middleware: `app.use(keysvcGuard(options))`. */
export type HonoGuard = MiddlewareHandler & GuardControl;

/**
 * Guards the routes of Hono that come after it. The decision is `c.get("keysvc.decision")`.
 *
 * @throws ConfigurationError when an option cannot be used
 */
export function keysvcGuard(options: MiddlewareOptions<Context>): HonoGuard {
  const guard = new Guard(options);
  const middleware: MiddlewareHandler = async (c, next) => {
    const passage = guard.settings && (await guard.enter(new HonoCall(c)));
    if (passage === undefined) return next();
    const admission = await passage.admit(goneSignal(c));
    remember(c, passage);
    remember(c.req.raw, passage);
    // Nobody reads this answer any more.
    if (admission.kind === "gone") return c.body(null, 499 as 400);
    if (admission.kind === "deny") {
      const { status, headers, body } = admission.denial;
      c.res = new Response(c.req.method === "HEAD" ? null : body, { status, headers });
      recordAtEnd(guard, passage, c);
      return;
    }
    if (guard.settings?.mode !== "ingest") {
      c.set(CONTEXT_DECISION_KEY, passage.decision);
      c.set(CONTEXT_ERROR_KEY, passage.failure);
    }
    try {
      await next();
    } catch (error) {
      // What is no Error, Hono throws on.
      passage.finish({ status: 500 });
      throw error;
    }
    recordAtEnd(guard, passage, c);
  };
  return Object.assign(middleware, {
    flush: guard.flush.bind(guard),
    close: guard.close.bind(guard),
  });
}

/** Aborted when the caller leaves. Once there is an answer, nobody listens any more. */
function goneSignal(c: Context): AbortSignal | undefined {
  const { outgoing } = runtimeOf(c);
  if (outgoing === undefined) return c.req.raw.signal;
  const controller = new AbortController();
  whenClosed(outgoing, () => controller.abort(new Error("the caller has gone")));
  return controller.signal;
}

/** What has closed already says nothing of it any more. */
function whenClosed(outgoing: NonNullable<Runtime["outgoing"]>, run: () => void): void {
  if (outgoing.destroyed) run();
  else outgoing.once("close", run);
}

/**
 * Records the request when its answer has ended, as far as the runtime tells: on Node when the connection has taken it all, else
 * when its body was read, where that is captured, else at once.
 */
function recordAtEnd(guard: Guard<Context>, passage: Passage<Context>, c: Context): void {
  const { settings } = guard;
  if (settings === undefined || !passage.isToBeRecorded) return;
  const answer: Answer = { status: c.res.status };
  if (settings.captureResponseHeaders) answer.headers = [...c.res.headers];
  const capture = settings.captureResponseBody && c.req.method !== "HEAD" ? captureBody(c) : undefined;
  if (capture !== undefined) answer.body = capture.body;
  const { outgoing } = runtimeOf(c);
  const end = new Promise<void>((resolve) => {
    if (outgoing !== undefined) whenClosed(outgoing, resolve);
    else if (capture !== undefined) capture.ended.then(resolve);
    else resolve();
  });
  if (outgoing === undefined && capture === undefined) passage.finish(answer);
  const recorded = end.then(() => passage.finish(answer));
  keepAlive(c, () => recorded.then(() => guard.flush()));
}

/** Lets the body pass through, and keeps its begin; undefined when it is no text. */
function captureBody(c: Context): { body: BodyCapture; ended: Promise<void> } | undefined {
  const { res } = c;
  const type = res.headers.get("content-type") ?? undefined;
  if (res.body === null || !isTextual(type, res.headers.get("content-encoding") ?? undefined)) return undefined;
  const body = new BodyCapture();
  const { stream, ended } = passThrough(res.body, (chunk) => body.take(chunk));
  c.res = new Response(stream, res);
  return { body, ended };
}

/** Runtimes that end with the answer are asked to wait for the events; there is no worker that could send them later. */
function keepAlive(c: Context, work: () => Promise<void>): void {
  try {
    c.executionCtx.waitUntil(work().catch(() => undefined));
  } catch {
    // There is no such context: the queue sends them.
  }
}
