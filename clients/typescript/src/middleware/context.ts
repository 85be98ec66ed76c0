import type { VerificationResult } from "../verification.ts";

/** What was decided of a request. */
interface Decided {
  readonly decision: VerificationResult | undefined;
  readonly failure: unknown;
}

/** Under this name, frameworks that keep values with a request have its decision. */
export const CONTEXT_DECISION_KEY = "keysvc.decision";
/** Under this name, they have the error because of which there is none. */
export const CONTEXT_ERROR_KEY = "keysvc.error";

const passages = new WeakMap<object, Decided>();

/** Lets a request be asked for what was decided. A second guard that decides nothing, because it only records, hides nothing. */
export function remember(request: object, passage: Decided): void {
  const isDecided = passage.decision !== undefined || passage.failure !== undefined;
  if (isDecided || !passages.has(request)) passages.set(request, passage);
}

/** What the service said of the request's key; undefined where it was not asked, or did not answer. */
export function decisionOf(request: object): VerificationResult | undefined {
  return passages.get(request)?.decision;
}

/** Why there is no decision although the request was let through, in the failure mode `open`; else undefined. */
export function validationErrorOf(request: object): unknown {
  return passages.get(request)?.failure;
}
