import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AnalyticsServiceLogsExportRequest,
  AnalyticsServiceLogsExportResponseSchema,
} from "../../gen/keysvc/v1/analytics_pb.js";
import type { AnalyticsServiceOptions } from "./analytics-service-options.ts";
import { toFilters, toProtoRow, toSource, toStatusFilter } from "./convert.ts";
import type { LogPage } from "./log-page.ts";
import type { Selection } from "./question.ts";
import { keptPart, windowOf } from "./window.ts";

type Row = MessageInitShape<typeof AnalyticsServiceLogsExportResponseSchema>;

/** Events that are read at once: all that an export holds, however many there are. */
const PAGE_SIZE = 1_000;

/** All events of a query, in the order of the log. */
export async function exportLogs(
  { worker, now, retentionDays }: Pick<AnalyticsServiceOptions, "worker" | "now" | "retentionDays">,
  projectId: string,
  request: AnalyticsServiceLogsExportRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Row>> {
  const nowMs = await now();
  const { fromMs, untilMs } = keptPart(windowOf(request, nowMs, true), nowMs, retentionDays);
  const selection: Selection = {
    ...{ projectId, source: toSource(request.source), fromMs, untilMs },
    filters: toFilters(request.filters, request.apiId),
    status: toStatusFilter(request.statusFilter),
  };
  // The first page is found before anything is answered: what goes wrong with it is told as of any other call.
  const first = await worker.page({ selection, after: undefined, size: PAGE_SIZE });
  return rows(first, selection, worker, signal);
}

async function* rows(
  first: LogPage,
  selection: Selection,
  worker: AnalyticsServiceOptions["worker"],
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for (let page = first; ; ) {
    for (const event of page.events) yield { row: toProtoRow(event, false) };
    if (page.next === undefined || signal.aborted) return;
    page = await worker.page({ selection, after: page.next, size: PAGE_SIZE });
  }
}
