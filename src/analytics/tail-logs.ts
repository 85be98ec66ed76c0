import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AnalyticsServiceLogsTailRequest,
  AnalyticsServiceLogsTailResponseSchema,
} from "../../gen/keysvc/v1/analytics_pb.js";
import type { EventDocument } from "../journal/drain-batch.ts";
import { Fault } from "../lib/fault.ts";
import { toFilters, toProtoRow, toSource, toStatusFilter } from "./convert.ts";
import type { LiveEvents } from "./live-events.ts";
import { passes } from "./log-page.ts";
import { filterOf } from "./question.ts";

type Row = MessageInitShape<typeof AnalyticsServiceLogsTailResponseSchema>;

/** Events that wait for a reader; one that is further behind is told so, and may begin anew. */
const WAITING_MAX = 10_000;

/**
 * Follows the events of a project from the moment at which this resolves. Ends with OVERLOADED when the reader is too slow, and
 * with DATABASE_UNAVAILABLE when events may have been missed.
 */
export async function tailLogs(
  live: LiveEvents,
  projectId: string,
  request: AnalyticsServiceLogsTailRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Row>> {
  const filter = filterOf({
    filters: toFilters(request.filters, request.apiId),
    status: toStatusFilter(request.statusFilter),
  });
  const waiting: EventDocument[] = [];
  let fault: Fault | undefined;
  let wake: () => void = () => undefined;
  // The stream may end before its first row is asked for: who ends it aborts the signal.
  const ending = new AbortController();
  const end = (reason: Fault) => {
    fault ??= reason;
    // The reader may not come back for long, to be told: nothing is kept for it until then.
    waiting.length = 0;
    ending.abort();
    wake();
  };
  const isOver = AbortSignal.any([signal, ending.signal]);
  await live.subscribe(
    { projectId, source: toSource(request.source) },
    {
      onEvents(events) {
        waiting.push(...events.filter((event) => passes(filter, event)));
        if (waiting.length > WAITING_MAX) end(tooSlow());
        wake();
      },
      onGap: () => end(new Fault("DATABASE_UNAVAILABLE", "events may have been missed", { retryAfterSeconds: 1 })),
    },
    isOver,
  );
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (waiting.length > 0 || fault !== undefined || signal.aborted) resolve();
    });
  signal.addEventListener("abort", () => wake(), { once: true });
  return rows(waiting, { woken, isEnded: () => signal.aborted, fault: () => fault, end: () => ending.abort() });
}

async function* rows(
  waiting: EventDocument[],
  state: { woken: () => Promise<void>; isEnded: () => boolean; fault: () => Fault | undefined; end: () => void },
): AsyncGenerator<Row> {
  try {
    for (;;) {
      await state.woken();
      const fault = state.fault();
      if (fault !== undefined) throw fault;
      if (state.isEnded()) return;
      for (const event of waiting.splice(0)) yield { row: toProtoRow(event, false) };
    }
  } finally {
    state.end();
  }
}

function tooSlow(): Fault {
  return new Fault("OVERLOADED", "more events arrive than are read", { retryAfterSeconds: 1 });
}
