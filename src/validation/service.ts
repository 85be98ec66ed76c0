import type { KeyService, KeyServiceValidateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Api } from "../api/api.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { Call, Handlers } from "../lib/call.ts";
import { type RecordedCall, writeNotFoundRow, writeRow } from "./activity.ts";
import { toProtoVerdict, type Verdict } from "./convert.ts";
import { verdictId } from "./idempotency.ts";
import { type JudgeOptions, judgeCall } from "./judge-call.ts";
import type { NotFoundCounts } from "./not-found-counts.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

export interface ValidationOptions extends JudgeOptions {
  journal: Pick<JournalWriter, "append">;
  /** The database's time, epoch milliseconds, asked of it. */
  now: () => Promise<number>;
  /** An API of the project; undefined: there is none. */
  findApi: (projectId: string, apiId: string) => Promise<Pick<Api, "name"> | undefined>;
  /** Takes the place of the events of NOT_FOUND verdicts; undefined: each has one. */
  notFoundCounts: Pick<NotFoundCounts, "add"> | undefined;
}

/** Validation of keys (README.md). */
export function validationService(options: ValidationOptions): Handlers<typeof KeyService> {
  const one = (request: KeyServiceValidateRequest, call: Call, requestId: string) =>
    validate(request, call, requestId, options);
  return {
    async validate(request, call) {
      const verdict = await one(request, call, request.requestId ?? call.requestId);
      const answer = toProtoVerdict(verdict);
      for (const [name, value] of rateLimitHeaders(answer, verdict.subject?.nowMs ?? 0)) call.setHeader(name, value);
      return answer;
    },
    async validateBatch({ requests }, call) {
      // All at once, so that they share their batches; those of one consumer stay in their order.
      const verdicts = await Promise.all(
        requests.map((request, index) => one(request, call, request.requestId ?? `${call.requestId}.${index}`)),
      );
      return { results: verdicts.map(toProtoVerdict) };
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
  const { apiId } = request;
  const api = apiId === undefined ? undefined : await options.findApi(projectId, apiId);
  const recorded: RecordedCall = { requestId, projectId, request, apiName: api?.name, arrivedMs };
  const cost = Number(request.credits ?? 1n);
  const judgement = await judgeCall(
    {
      ...{ projectId, value: request.key, apiId, isApiKnown: api !== undefined, cost, arrivedMs },
      verdictIdOf: ({ key }) => request.requestId && verdictId(projectId, key.consumerId, request.requestId),
      writeRowOf: (known) => (verdict) => writeRow(recorded, known, verdict),
    },
    options,
  );
  if (judgement === undefined) {
    await recordNotFound(recorded, options);
    return { code: "NOT_FOUND", requestId, apiId, charged: 0, subject: undefined };
  }
  const { known, verdict, isSettled } = judgement;
  if (!isSettled) await options.journal.append(writeRow(recorded, known, verdict));
  const { code, charged, consumer, nowMs } = verdict;
  // Nobody learns that it exists.
  const subject = code === "NOT_FOUND" ? undefined : { keyId: known.key._id, consumer, nowMs };
  return { code, requestId, apiId, charged, subject };
}

async function recordNotFound(
  recorded: RecordedCall,
  { journal, notFoundCounts, clock, now }: ValidationOptions,
): Promise<void> {
  if (notFoundCounts !== undefined) notFoundCounts.add(recorded.projectId);
  else await journal.append(writeNotFoundRow(recorded, clock.now()?.latestMs ?? (await now())));
}
