import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AnalyticsServiceLogsRequest,
  AnalyticsServiceLogsResponseSchema,
} from "../../gen/keysvc/v1/analytics_pb.js";
import { invalidRequest } from "../lib/fault.ts";
import { createCursor, readCursor } from "../secrets/cursor.ts";
import type { AnalyticsServiceOptions } from "./analytics-service-options.ts";
import { toFilters, toProtoRow, toSource, toStatusFilter } from "./convert.ts";
import type { Position } from "./log-page.ts";
import { filterKeyOf, type Selection } from "./question.ts";
import { keptPart, windowOf } from "./window.ts";

const PAGE_SIZE_DEFAULT = 50;

/** What the first page fixes, and where to go on. */
interface Walk {
  fromMs: number;
  untilMs: number;
  total: number;
  after: Position | undefined;
}

/** A page of the log. Throws INVALID_REQUEST for a cursor that is none of this query's. */
export async function listLogs(
  {
    worker,
    keyring,
    now,
    retentionDays,
  }: Pick<AnalyticsServiceOptions, "worker" | "keyring" | "now" | "retentionDays">,
  projectId: string,
  request: AnalyticsServiceLogsRequest,
): Promise<MessageInitShape<typeof AnalyticsServiceLogsResponseSchema>> {
  const { source, pageSize = PAGE_SIZE_DEFAULT, cursor } = request;
  const nowMs = await now();
  const { fromMs, untilMs, timeRange } = windowOf(request, nowMs, true);
  const filters = toFilters(request.filters, request.apiId);
  const series = { projectId, source: toSource(source), filters, status: toStatusFilter(request.statusFilter) };
  const exact = timeRange === undefined ? [fromMs, untilMs] : [];
  const query = ["/analytics/logs", projectId, source, timeRange ?? null, exact, filterKeyOf(series)];
  const started = cursor === undefined ? undefined : parseWalk(readCursor(keyring, query, cursor));
  const range = started ?? keptPart({ fromMs, untilMs }, nowMs, retentionDays);
  const selection: Selection = { ...series, fromMs: range.fromMs, untilMs: range.untilMs };
  const [total, page] = await Promise.all([
    started?.total ?? worker.measure(selection, { kind: "totals" }).then(({ rows }) => rows),
    worker.page({ selection, after: started?.after, size: pageSize }),
  ]);
  const walk = { ...range, total, after: page.next };
  return {
    ...{ source, total: BigInt(total), pageSize, rows: page.events.map((event) => toProtoRow(event, false)) },
    ...(timeRange !== undefined && { timeRange }),
    ...(page.next && { nextCursor: createCursor(keyring, query, writeWalk(walk)) }),
  };
}

function writeWalk({ fromMs, untilMs, total, after }: Walk): string {
  return JSON.stringify([fromMs, untilMs, total, after?.atMs, after?.requestId, after?.count]);
}

function parseWalk(text: string | undefined): Walk {
  if (text === undefined) throw invalidRequest([{ field: "cursor", message: "is none of this query's" }]);
  // writeWalk made it, or the cursor would not be ours.
  const [fromMs, untilMs, total, atMs, requestId, count] = JSON.parse(text) as [
    number,
    number,
    number,
    number,
    string,
    number,
  ];
  return { fromMs, untilMs, total, after: { atMs, requestId, count } };
}
