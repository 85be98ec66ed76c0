import type { KeyService, KeyServiceValidateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Api } from "../api/api.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { Call, Handlers } from "../lib/call.ts";
import { databaseUnavailable, Fault } from "../lib/fault.ts";
import { type RecordedCall, writeNotFoundRow, writeRow } from "./activity.ts";
import { toProtoVerdict, type Verdict } from "./convert.ts";
import { verdictId } from "./idempotency.ts";
import { type JudgeOptions, judgeCall } from "./judge-call.ts";
import type { NotFoundCounts } from "./not-found-counts.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import type { VerdictCode } from "./verdict.ts";

export interface ValidationOptions extends JudgeOptions {
  journal: Pick<JournalWriter, "append" | "checkRoom">;
  /** The database's time, epoch milliseconds, asked of it. */
  now: () => Promise<number>;
  /** An API of the project; undefined: there is none. */
  findApi: (projectId: string, apiId: string) => Promise<Pick<Api, "name"> | undefined>;
  /** Takes the place of the events of NOT_FOUND verdicts; undefined: each has one. */
  notFoundCounts: Pick<NotFoundCounts, "add"> | undefined;
  /** Is told of every verdict, and how long it took. */
  onVerdict: (code: VerdictCode, durationMs: number) => void;
}

/** Validation of keys (README.md). */
export function validationService(options: ValidationOptions): Handlers<typeof KeyService> {
  const one = async (request: KeyServiceValidateRequest, call: Call, requestId: string): Promise<Verdict> => {
    const startMs = performance.now();
    const verdict = await validate(request, call, requestId, options);
    options.onVerdict(verdict.code, performance.now() - startMs);
    return verdict;
  };
  return {
    async validate(request, call) {
      const verdict = await one(request, call, request.requestId ?? call.requestId);
      const answer = toProtoVerdict(verdict);
      for (const [name, value] of rateLimitHeaders(answer, verdict.subject?.nowMs ?? 0)) call.setHeader(name, value);
      return answer;
    },
    async validateBatch({ requests }, call) {
      // All at once, so that they share a transaction.
      const verdicts = await Promise.allSettled(
        requests.map((request, index) => one(request, call, request.requestId ?? `${call.requestId}.${index}`)),
      );
      const results = verdicts.map((verdict, index) => {
        if (verdict.status === "rejected") throw batchFault(verdict.reason, index);
        return toProtoVerdict(verdict.value);
      });
      return { results };
    },
  };
}

async function validate(
  request: KeyServiceValidateRequest,
  { caller: { projectId } }: Call,
  requestId: string,
  options: ValidationOptions,
): Promise<Verdict> {
  const arrivedMs = performance.now();
  options.journal.checkRoom();
  const { apiId } = request;
  const api = apiId === undefined ? undefined : await options.findApi(projectId, apiId);
  const recorded: RecordedCall = { requestId, projectId, request, apiName: api?.name, arrivedMs };
  const cost = Number(request.credits ?? 1n);
  const notFound: Verdict = { code: "NOT_FOUND", requestId, apiId, charged: 0, subject: undefined };
  const judgement = await judgeCall(
    {
      ...{
        projectId,
        value: request.key,
        apiId,
        isApiKnown: api !== undefined,
        cost,
        textLength: textLengthOf(request, api),
        arrivedMs,
      },
      verdictIdOf: ({ key }) => request.requestId && verdictId(projectId, key.consumerId, request.requestId),
      writeRow: (known, verdict) => writeRow(recorded, known, verdict),
    },
    options,
  );
  if (judgement === undefined) {
    await recordNotFound(recorded, options);
    return notFound;
  }
  const { known, verdict, isSettled } = judgement;
  if (verdict.code === "NOT_FOUND" && !isSettled) {
    await recordNotFound(recorded, options);
    return notFound;
  }
  if (!isSettled) await options.journal.append(writeRow(recorded, known, verdict));
  const { code, charged, consumer, meter, nowMs } = verdict;
  if (code === "NOT_FOUND") return notFound;
  const subject = { known, consumer, meter, nowMs };
  return { code, requestId, apiId, charged, subject };
}

/** The fault of a batch of which one request failed: the others were settled all the same. */
function batchFault(error: unknown, index: number): unknown {
  if (!(error instanceof Fault)) return error;
  if (error.status >= 500) return databaseUnavailable(error);
  return new Fault(error.reason, `requests[${index}].${error.detail}; the other requests were settled all the same`);
}

/** Of what the call brings; the others are short. */
function textLengthOf({ endpoint, userAgent }: KeyServiceValidateRequest, api: Pick<Api, "name"> | undefined): number {
  return (endpoint?.length ?? 0) + (userAgent?.length ?? 0) + (api?.name.length ?? 0);
}

async function recordNotFound(
  recorded: RecordedCall,
  { journal, notFoundCounts, clock, now }: ValidationOptions,
): Promise<void> {
  if (notFoundCounts !== undefined) notFoundCounts.add(recorded.projectId, recorded.arrivedMs);
  else await journal.append(writeNotFoundRow(recorded, clock.now()?.latestMs ?? (await now())));
}
