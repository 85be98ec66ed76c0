import type { KeyValidateResponse, ValidatedConsumer, VerdictCode } from "../gen/api.ts";

/** What the service says of a key. A denial is a result, not an error. */
export interface VerificationResult {
  /** The key may pass, and was charged. */
  readonly allowed: boolean;
  /** Why it may or may not pass; a newer service may know more words than this version. */
  readonly reason: VerdictCode | (string & {});
  /** The id of the validation, by which analytics join it to the request. */
  readonly requestId: string;
  /** Whose key it is; null when it is nobody's. */
  readonly consumer: ValidatedConsumer | null;
  /** Credits that are left; null when usage is unlimited or unknown. */
  readonly creditsRemaining: number | null;
  /** The size of the pool; null when usage is unlimited or unknown. */
  readonly creditsLimit: number | null;
  /** Seconds after which the key may pass again; null when that is not known. */
  readonly retryAfterSeconds: number | null;
  /** The whole answer. */
  readonly verdict: KeyValidateResponse;
}

/** Reads an answer of /key/validate; undefined when it is no verdict. */
export function readVerdict(answer: unknown): VerificationResult | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  // Whatever it is: each field that is used is looked at.
  const verdict = answer as Partial<KeyValidateResponse>;
  const { code, valid, requestId, credits, consumer, retryAfterSeconds } = verdict;
  if (typeof code !== "string" || (code as string) === "") return undefined;
  // Words that contradict each other are no verdict: neither may a key pass by one of them.
  if (code === "VALID" && valid !== true) return undefined;
  return {
    allowed: code === "VALID",
    reason: code,
    requestId: typeof requestId === "string" ? requestId : "",
    consumer: typeof consumer === "object" ? consumer : null,
    creditsRemaining: numberOrNull(credits?.remaining),
    creditsLimit: numberOrNull(credits?.limit),
    retryAfterSeconds: numberOrNull(retryAfterSeconds),
    verdict: verdict as KeyValidateResponse,
  };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
