// Generated from proto/keysvc/v1 by protoc-gen-keysvc-client. Do not edit.

import type { CallOptions, RowStream, SafeCallOptions } from "../src/call.ts";

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** A JSON object, with data of the caller's own. */
export type JsonObject = { [name: string]: JsonValue };

/** How a method is called. */
export interface MethodRow {
  /** Below the base URL. */
  readonly path: string;
  /** It changes nothing, so that it may be called again. */
  readonly safe?: true;
  /** Milliseconds that the service may take, where that is more than usual. */
  readonly answerTimeoutMs?: number;
  /** It answers rows: until there are no more, or as they come. */
  readonly rows?: "all" | "following";
}

/** Every method, by service. */
export interface Services {
  /** Queries over the recorded events. Errors are calls answered with status 400 and above. */
  analytics: AnalyticsMethods;
  /** APIs: what the keys of a project may call, and what its analytics can be narrowed to. Key counts have the keys of deleted consumers in them until these are gone; counting takes a while where there are very many keys. */
  api: ApiMethods;
  /** The record of who changed what. No key, credential or secret is ever in it. */
  audit: AuditMethods;
  /** Consumers: the customers of a project, each with one credit pool for all of its keys. */
  consumer: ConsumerMethods;
  /** Takes in traffic events. */
  ingest: IngestMethods;
  /** API keys and their validation. */
  key: KeyMethods;
  /** Plans: credits and a rate limit that are copied onto a consumer when the plan is attached. */
  plan: PlanMethods;
  /** Projects, which own everything else, and the credentials that open them. */
  project: ProjectMethods;
  /** Events that are sent to the addresses of consumers: what became of them, and the secret that signs them. */
  webhook: WebhookMethods;
}

/** Where every method is. */
export const METHODS: { readonly [S in keyof Services]: { readonly [M in keyof Services[S]]: MethodRow } } = {
  analytics: {
    stats: { path: "/analytics/stats", safe: true },
    statsDetails: { path: "/analytics/stats/details", safe: true },
    timeseries: { path: "/analytics/timeseries", safe: true },
    breakdown: { path: "/analytics/breakdown", safe: true },
    logs: { path: "/analytics/logs", safe: true },
    logsExport: { path: "/analytics/logs/export", rows: "all" },
    logsDetail: { path: "/analytics/logs/detail", safe: true },
    logsTail: { path: "/analytics/logs/tail", rows: "following" },
  },
  api: {
    create: { path: "/api/create", answerTimeoutMs: 30000 },
    update: { path: "/api/update", answerTimeoutMs: 30000 },
    details: { path: "/api/details", safe: true, answerTimeoutMs: 30000 },
    list: { path: "/api/list", safe: true, answerTimeoutMs: 30000 },
    delete: { path: "/api/delete" },
  },
  audit: {
    list: { path: "/audit/list", safe: true },
  },
  consumer: {
    create: { path: "/consumer/create" },
    update: { path: "/consumer/update" },
    details: { path: "/consumer/details", safe: true },
    list: { path: "/consumer/list", safe: true, answerTimeoutMs: 60000 },
    keys: { path: "/consumer/keys" },
    delete: { path: "/consumer/delete" },
  },
  ingest: {
    ingest: { path: "/ingest" },
  },
  key: {
    create: { path: "/key/create" },
    update: { path: "/key/update" },
    details: { path: "/key/details", safe: true },
    list: { path: "/key/list", safe: true },
    rotate: { path: "/key/rotate" },
    delete: { path: "/key/delete" },
    import: { path: "/key/import" },
    validate: { path: "/key/validate" },
    validateBatch: { path: "/key/validate/batch" },
  },
  plan: {
    create: { path: "/plan/create" },
    update: { path: "/plan/update", answerTimeoutMs: 600000 },
    details: { path: "/plan/details", safe: true },
    list: { path: "/plan/list", safe: true },
    delete: { path: "/plan/delete" },
  },
  project: {
    create: { path: "/project/create" },
    list: { path: "/project/list" },
    delete: { path: "/project/delete" },
    credentialCreate: { path: "/project/credential/create" },
    credentialList: { path: "/project/credential/list" },
    credentialRotate: { path: "/project/credential/rotate" },
    credentialRevoke: { path: "/project/credential/revoke" },
  },
  webhook: {
    deliveries: { path: "/webhook/deliveries", safe: true },
    replay: { path: "/webhook/replay" },
    secretRotate: { path: "/webhook/secret/rotate" },
  },
};

/** Queries over the recorded events. Errors are calls answered with status 400 and above. */
export interface AnalyticsMethods {
  /** Sums up a window: calls, errors and latency. */
  stats(request: AnalyticsStatsRequest, options?: SafeCallOptions): Promise<AnalyticsStatsResponse>;
  /** Shows what is behind one figure of the summary. */
  statsDetails(request: AnalyticsStatsDetailsRequest, options?: SafeCallOptions): Promise<AnalyticsStatsDetailsResponse>;
  /** Shows how calls, errors and latency went over a window, in buckets of a size that fits it. */
  timeseries(request: AnalyticsTimeseriesRequest, options?: SafeCallOptions): Promise<AnalyticsTimeseriesResponse>;
  /** Ranks the values of one dimension by calls, at most 50 of them. */
  breakdown(request: AnalyticsBreakdownRequest, options?: SafeCallOptions): Promise<AnalyticsBreakdownResponse>;
  /** Lists single events, newest first. A walk over the pages sees each event that was there at its start once. */
  logs(request: AnalyticsLogsRequest, options?: SafeCallOptions): Promise<AnalyticsLogsResponse>;
  /** Gives all events of a window, newest first, without pages. */
  logsExport(request: AnalyticsLogsExportRequest, options?: CallOptions): Promise<RowStream<LogRow>>;
  /** Shows all that is recorded of one request: its validation and the call that was served. Not found: there is neither. */
  logsDetail(request: AnalyticsLogsDetailRequest, options?: SafeCallOptions): Promise<AnalyticsLogsDetailResponse>;
  /** Follows the events of the project as they arrive, from now on, until the caller hangs up. */
  logsTail(request: AnalyticsLogsTailRequest, options?: CallOptions): Promise<RowStream<LogRow>>;
}

/** APIs: what the keys of a project may call, and what its analytics can be narrowed to. Key counts have the keys of deleted consumers in them until these are gone; counting takes a while where there are very many keys. */
export interface ApiMethods {
  /** Makes an API. */
  create(request: ApiCreateRequest, options?: CallOptions): Promise<ApiCreateResponse>;
  /** Changes an API: absent fields stay, a value is set. */
  update(request: ApiUpdateRequest, options?: CallOptions): Promise<ApiUpdateResponse>;
  /** Shows an API. */
  details(request: ApiDetailsRequest, options?: SafeCallOptions): Promise<ApiDetailsResponse>;
  /** Lists the APIs of the project, newest first. */
  list(request?: ApiListRequest, options?: SafeCallOptions): Promise<ApiListResponse>;
  /** Deletes an API: no key may call it any more, though keys that name it keep its id. Its recorded events stay. */
  delete(request: ApiDeleteRequest, options?: CallOptions): Promise<ApiDeleteResponse>;
}

/** The record of who changed what. No key, credential or secret is ever in it. */
export interface AuditMethods {
  /** Lists changes in the project, newest first. */
  list(request?: AuditListRequest, options?: SafeCallOptions): Promise<AuditListResponse>;
}

/** Consumers: the customers of a project, each with one credit pool for all of its keys. */
export interface ConsumerMethods {
  /** Makes a consumer. Credits come from the credits object, else from the plan, else usage is unlimited. */
  create(request?: ConsumerCreateRequest, options?: CallOptions): Promise<ConsumerCreateResponse>;
  /** Changes a consumer: absent fields stay, null clears, a value is set. */
  update(request: ConsumerUpdateRequest, options?: CallOptions): Promise<ConsumerUpdateResponse>;
  /** Shows a consumer with its credits as they stand, refills that are due included. */
  details(request: ConsumerDetailsRequest, options?: SafeCallOptions): Promise<ConsumerDetailsResponse>;
  /** Lists the consumers of the project, newest first. Filters combine with AND. */
  list(request?: ConsumerListRequest, options?: SafeCallOptions): Promise<ConsumerListResponse>;
  /** Shows the keys of a consumer, in clear where they are recoverable. */
  keys(request: ConsumerKeysRequest, options?: CallOptions): Promise<ConsumerKeysResponse>;
  /** Deletes a consumer and its keys, for 7 days recoverable unless permanent. */
  delete(request: ConsumerDeleteRequest, options?: CallOptions): Promise<ConsumerDeleteResponse>;
}

/** Takes in traffic events. */
export interface IngestMethods {
  /** Records calls that a guarded application served; the events are durable before the answer. A bad event is rejected alone, and a request id that was recorded within 24 hours is not recorded again, so a batch may be sent twice. */
  ingest(request?: IngestRequest, options?: CallOptions): Promise<IngestResponse>;
}

/** API keys and their validation. */
export interface KeyMethods {
  /** Makes a key for a consumer and shows its value. */
  create(request: KeyCreateRequest, options?: CallOptions): Promise<KeyCreateResponse>;
  /** Changes a key: absent fields stay, null clears, a value is set. */
  update(request: KeyUpdateRequest, options?: CallOptions): Promise<KeyUpdateResponse>;
  /** Shows a key, its value masked. */
  details(request: KeyDetailsRequest, options?: SafeCallOptions): Promise<KeyDetailsResponse>;
  /** Lists keys, newest first, their values masked. */
  list(request?: KeyListRequest, options?: SafeCallOptions): Promise<KeyListResponse>;
  /** Gives a key a new value; the old one goes on for the grace period. Up to 20 old values are in their grace at once. */
  rotate(request: KeyRotateRequest, options?: CallOptions): Promise<KeyRotateResponse>;
  /** Deletes a key for good: it does not come back with its consumer. */
  delete(request: KeyDeleteRequest, options?: CallOptions): Promise<KeyDeleteResponse>;
  /** Takes over keys of another service by their SHA-256 hashes, all of them or none. */
  import(request: KeyImportRequest, options?: CallOptions): Promise<KeyImportResponse>;
  /** Answers whether a key may pass, and charges its consumer's pool when it does. A denial is an answer, not an error, and costs nothing. */
  validate(request: KeyValidateRequest, options?: CallOptions): Promise<KeyValidateResponse>;
  /** Validates up to 100 keys, each on its own, and answers in their order. When one fails, the call fails, but the others were settled all the same: give each a requestId to be able to send them again. */
  validateBatch(request: KeyValidateBatchRequest, options?: CallOptions): Promise<KeyValidateBatchResponse>;
}

/** Plans: credits and a rate limit that are copied onto a consumer when the plan is attached. */
export interface PlanMethods {
  /** Makes a plan. */
  create(request: PlanCreateRequest, options?: CallOptions): Promise<PlanCreateResponse>;
  /** Changes a plan: absent fields stay, null clears, a value is set. Consumers that hold it keep what was copied, unless the change is applied to them. */
  update(request: PlanUpdateRequest, options?: CallOptions): Promise<PlanUpdateResponse>;
  /** Shows a plan. */
  details(request: PlanDetailsRequest, options?: SafeCallOptions): Promise<PlanDetailsResponse>;
  /** Lists the plans of the project, newest first. */
  list(request?: PlanListRequest, options?: SafeCallOptions): Promise<PlanListResponse>;
  /** Deletes a plan. Consumers that hold it keep what was copied. */
  delete(request: PlanDeleteRequest, options?: CallOptions): Promise<PlanDeleteResponse>;
}

/** Projects, which own everything else, and the credentials that open them. */
export interface ProjectMethods {
  /** Makes a project and its first credential, which carries all scopes. */
  create(request: ProjectCreateRequest, options?: CallOptions): Promise<ProjectCreateResponse>;
  /** Lists all projects, newest first. */
  list(request?: ProjectListRequest, options?: CallOptions): Promise<ProjectListResponse>;
  /** Deletes a project for good, with everything that it owns. Nobody gets in within 200 ms; what it owned is removed in the minutes after. */
  delete(request: ProjectDeleteRequest, options?: CallOptions): Promise<ProjectDeleteResponse>;
  /** Makes another credential for the caller's project and shows its value, which is never shown again. */
  credentialCreate(request?: ProjectCredentialCreateRequest, options?: CallOptions): Promise<ProjectCredentialCreateResponse>;
  /** Lists the credentials of the caller's project that are not revoked, newest first, without their values. */
  credentialList(request?: ProjectCredentialListRequest, options?: CallOptions): Promise<ProjectCredentialListResponse>;
  /** Gives a credential a new value and shows it; the old one goes on for the grace period. At most 20 old values of a credential are in their grace at once. */
  credentialRotate(request: ProjectCredentialRotateRequest, options?: CallOptions): Promise<ProjectCredentialRotateResponse>;
  /** Revokes a credential for good, its old values too; it stops within 200 ms on every node. The last one with the scope manage stays, because nobody could get in again. */
  credentialRevoke(request: ProjectCredentialRevokeRequest, options?: CallOptions): Promise<ProjectCredentialRevokeResponse>;
}

/** Events that are sent to the addresses of consumers: what became of them, and the secret that signs them. */
export interface WebhookMethods {
  /** Lists the events of the project that are or were to be sent, newest first. Filters combine with AND. */
  deliveries(request?: WebhookDeliveriesRequest, options?: SafeCallOptions): Promise<WebhookDeliveriesResponse>;
  /** Sends an event again, at once and with the same webhook-id, to the address that its consumer has now. The attempts start anew. */
  replay(request: WebhookReplayRequest, options?: CallOptions): Promise<WebhookReplayResponse>;
  /** Gives the project a new signing secret and shows it. Events are signed with both secrets for the grace period. */
  secretRotate(request?: WebhookSecretRotateRequest, options?: CallOptions): Promise<WebhookSecretRotateResponse>;
}

/** What to rank. */
export interface AnalyticsBreakdownRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
  /** What to break calls down by; a filter on the same is ignored. */
  dimension: AnalyticsDimension;
}

/** A ranking. */
export interface AnalyticsBreakdownResponse {
  /** The dataset that was read. */
  source: AnalyticsSource | null;
  /** What calls were broken down by. */
  dimension: AnalyticsDimension | null;
  /** The window; null for exact times. */
  timeRange: TimeRange | null;
  /** The values, most frequent first. */
  data: BreakdownEntry[];
}

/** A figure of the summary. */
export type AnalyticsCard = "totalRequests" | "totalApiCalls" | "errorRate" | "latency";

/** What is behind a figure: the one part that belongs to the card is set. */
export type AnalyticsDetails = TotalRequestsDetails | TotalApiCallsDetails | ErrorRateDetails | LatencyDetails;

/** What calls are broken down by. */
export type AnalyticsDimension = "endpoint" | "method" | "statusCode" | "clientIp" | "consumer";

/** What a query is narrowed by: an event passes when each field that is given names its value. In JSON each is a value or an array of values. */
export interface AnalyticsFiltersInput {
  /** Endpoints that were called. */
  endpoint?: string | string[] | null | undefined;
  /** HTTP methods. */
  method?: string | string[] | null | undefined;
  /** HTTP statuses, as numbers or digits. */
  statusCode?: number | string | (number | string)[] | null | undefined;
  /** Callers' addresses. */
  clientIp?: string | string[] | null | undefined;
  /** Consumers, by their ids, else by their names. */
  consumer?: string | string[] | null | undefined;
}

/** Which request. */
export interface AnalyticsLogsDetailRequest {
  /** The request, from a row. */
  requestId: string;
  /** The timestamp of the row, verbatim; Unix seconds or milliseconds do too. */
  timestamp: string | number;
  /** The dataset to look in; both when absent. */
  source?: AnalyticsSource | null | undefined;
}

/** All that is recorded of a request. */
export interface AnalyticsLogsDetailResponse {
  /** The request. */
  requestId: string;
  /** Its validation; null: none is recorded. */
  keyLog: LogRow | null;
  /** The call that was served; null: none is recorded. */
  apiLog: ApiLog | null;
}

/** Which events to give. */
export interface AnalyticsLogsExportRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
  /** all (the default), success or error. */
  statusFilter?: StatusFilter | null | undefined;
}

/** Which events to list. */
export interface AnalyticsLogsRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
  /** Events on a page; 50 when absent. */
  pageSize?: number | null | undefined;
  /** Where to go on: the nextCursor of the page before, with the same query; absent: the first page. */
  cursor?: string | null | undefined;
  /** all (the default), success or error. */
  statusFilter?: StatusFilter | null | undefined;
}

/** A page of events. */
export interface AnalyticsLogsResponse {
  /** The dataset that was read. */
  source: AnalyticsSource | null;
  /** The window; null for exact times. */
  timeRange: TimeRange | null;
  /** Events on all pages, as counted for the first page. */
  total: number;
  /** Events on a page. */
  pageSize: number;
  /** What to send for the next page; null on the last one. */
  nextCursor: string | null;
  /** The page. */
  rows: LogRow[];
}

/** Which events to follow. */
export interface AnalyticsLogsTailRequest {
  /** The dataset to follow. */
  source: AnalyticsSource;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
  /** all (the default), success or error. */
  statusFilter?: StatusFilter | null | undefined;
}

/** How many calls share a property. */
export interface AnalyticsShare {
  /** The property, such as a status, a method, an API or a range of latency. */
  code: string;
  /** Calls that have it. */
  count: number;
  /** The same as a percentage with two decimals. */
  percentage: number;
}

/** A dataset. */
export type AnalyticsSource = "api_traffic" | "key_activity";

/** The figures of a window. */
export interface AnalyticsStats {
  /** Calls. */
  totalRequests: number;
  /** Errors among them, as a percentage with two decimals. */
  errorRate: number;
  /** The mean time an answer took, in milliseconds. */
  avgLatencyMs: number;
}

/** Which figure to look behind. */
export interface AnalyticsStatsDetailsRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
  /** The figure. */
  card: AnalyticsCard;
}

/** What is behind a figure. */
export interface AnalyticsStatsDetailsResponse {
  /** The dataset that was read. */
  source: AnalyticsSource | null;
  /** The figure. */
  card: AnalyticsCard | null;
  /** The window; null for exact times. */
  timeRange: TimeRange | null;
  /** What is behind it. */
  details: AnalyticsDetails | null;
}

/** What to sum up. */
export interface AnalyticsStatsRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
}

/** A window, summed up. */
export interface AnalyticsStatsResponse {
  /** The dataset that was read. */
  source: AnalyticsSource | null;
  /** The window; null for exact times. */
  timeRange: TimeRange | null;
  /** The figures. */
  stats: AnalyticsStats | null;
}

/** What to show over time. */
export interface AnalyticsTimeseriesRequest {
  /** The dataset to read. */
  source: AnalyticsSource;
  /** The window, up to now; 24h when neither this nor exact times are given, and never given beside them. */
  timeRange?: TimeRange | null | undefined;
  /** The first moment of an exact window; needs endTime. */
  startTime?: string | null | undefined;
  /** The end of an exact window, not itself within it; needs startTime. */
  endTime?: string | null | undefined;
  /** Calls of this API only. */
  apiId?: string | null | undefined;
  /** What else to narrow by. */
  filters?: AnalyticsFiltersInput | null | undefined;
}

/** A window over time. */
export interface AnalyticsTimeseriesResponse {
  /** The dataset that was read. */
  source: AnalyticsSource | null;
  /** The window; null for exact times. */
  timeRange: TimeRange | null;
  /** The size of a bucket, a number and MINUTE, HOUR or DAY: 30 MINUTE. */
  granularity: string;
  /** The buckets, oldest first, those without calls included. */
  data: TimeseriesPoint[];
}

/** An API in a list. */
export interface Api {
  /** The API. */
  apiId: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Keys that may call it, those that may call every API included. */
  keyCount: number;
}

/** A new API. */
export interface ApiCreateRequest {
  /** The API's name. */
  name: string;
}

/** The API that was made. */
export interface ApiCreateResponse {
  /** The API. */
  apiId: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Keys that may call it, those that may call every API included. */
  keyCount: number;
}

/** Which API. */
export interface ApiDeleteRequest {
  /** The API. */
  apiId: string;
}

/** The API that was deleted. */
export interface ApiDeleteResponse {
  /** The API. */
  apiId: string;
  /** Whether it is deleted. */
  deleted: boolean;
}

/** Which API. */
export interface ApiDetailsRequest {
  /** The API. */
  apiId: string;
}

/** An API. */
export interface ApiDetailsResponse {
  /** The API. */
  apiId: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Keys that may call it, those that may call every API included. */
  keyCount: number;
}

/** Which APIs. */
export interface ApiListRequest {
  /** The page, counted from 1. */
  page?: number | null | undefined;
  /** APIs on a page; 25 when absent. */
  limit?: number | null | undefined;
}

/** A page of APIs. */
export interface ApiListResponse {
  /** APIs in the project. */
  total: number;
  /** The page, counted from 1. */
  page: number;
  /** APIs on a page. */
  limit: number;
  /** The page. */
  apis: Api[];
}

/** A call that was served, with what was captured of it. Text that is not known is empty. */
export interface ApiLog {
  /** The request. */
  requestId: string;
  /** When it was, as YYYY-MM-DD HH:MM:SS in UTC. */
  timestamp: string;
  /** The HTTP method. */
  method: string;
  /** The endpoint that was called. */
  endpoint: string;
  /** The HTTP status that was answered. */
  statusCode: number;
  /** How long the answer took, in milliseconds. */
  latencyMs: number;
  /** The consumer that called. */
  consumerId: string;
  /** The caller's region. */
  region: string;
  /** The first 2 kB of the request's body. */
  requestBody: string;
  /** The first 2 kB of the response's body. */
  responseBody: string;
  /** The headers of the request, as JSON text. */
  requestHeaders: string;
  /** The headers of the response, as JSON text. */
  responseHeaders: string;
  /** The caller's user agent. */
  userAgent: string;
}

/** A change of an API. The mask lists what changes; without a mask, every field that is set. */
export interface ApiUpdateRequest {
  /** The API. */
  apiId: string;
  /** The API's name, which cannot be cleared. */
  name?: string | null | undefined;
}

/** The API after the change. */
export interface ApiUpdateResponse {
  /** The API. */
  apiId: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Keys that may call it, those that may call every API included. */
  keyCount: number;
}

/** A change. */
export interface AuditEntry {
  /** When it was made. */
  at: string | null;
  /** The credential that made it; null: the operator or the service itself. */
  credentialId: string | null;
  /** What was done, such as consumer.update. */
  action: string;
  /** What was changed. */
  targetId: string;
  /** The changed fields as they were; empty when the target was made. */
  before: JsonObject | null;
  /** The changed fields as they are; empty when the target was deleted. */
  after: JsonObject | null;
}

/** Which changes. */
export interface AuditListRequest {
  /** Changes of this consumer, key, plan, API, project or credential only. */
  targetId?: string | null | undefined;
  /** Where to go on: the nextCursor of the page before; absent: the first page. */
  cursor?: string | null | undefined;
  /** The most changes on a page; 50 when absent. Where changes are large, a page has fewer. */
  pageSize?: number | null | undefined;
}

/** A page of changes. */
export interface AuditListResponse {
  /** The page. */
  entries: AuditEntry[];
  /** What to send for the next page; null on the last one. */
  nextCursor: string | null;
}

/** A value in a ranking. */
export interface BreakdownEntry {
  /** The value, always as text. */
  value: string;
  /** Calls that have it. */
  count: number;
  /** The same as a percentage of all calls, with two decimals. */
  percentage: number;
}

/** Unused credits that roll over into the next interval. */
export interface Carryover {
  /** Whether credits roll over. */
  enabled: boolean | null;
  /** The most that rolls over; needed when enabled. */
  max: number | null;
}

/** Unused credits that roll over into the next interval. */
export interface CarryoverInput {
  /** Whether credits roll over. */
  enabled: boolean;
  /** The most that rolls over; needed when enabled. */
  max?: number | null | undefined;
}

/** A new consumer; every field may be left out. */
export interface ConsumerCreateRequest {
  /** The consumer's name. */
  name?: string | null | undefined;
  /** The credit pool; it takes precedence over the plan's. */
  credits?: CreditsSettingsInput | null | undefined;
  /** The plan that the consumer holds. */
  planId?: string | null | undefined;
  /** The rate limit; it takes precedence over the plan's. */
  rateLimit?: RateLimitInput | null | undefined;
  /** Labels. */
  tags?: string[] | null | undefined;
  /** The address that is told of events. */
  webhookUrl?: string | null | undefined;
  /** Data of the caller's own, at most 64 kB and 32 levels. */
  metadata?: JsonObject | null | undefined;
  /** The address of a picture. */
  imageUrl?: string | null | undefined;
  /** The caller's own identifier of the consumer. */
  externalId?: string | null | undefined;
  /** active (the default) or disabled. */
  status?: ConsumerStatus | null | undefined;
  /** When the consumer's keys stop validating. */
  expiresAt?: string | null | undefined;
}

/** The consumer that was made. */
export interface ConsumerCreateResponse {
  /** The consumer. */
  consumerId: string;
  /** The project credential of the caller. */
  projectKey: string;
  /** When it was made. */
  createdAt: string | null;
  /** Its status. */
  status: ConsumerStatus | null;
  /** Its name. */
  name: string | null;
  /** Its labels. */
  tags: string[];
  /** The caller's own identifier. */
  externalId: string | null;
}

/** Which consumer, and how. */
export interface ConsumerDeleteRequest {
  /** The consumer. */
  consumerId: string;
  /** Delete for good; the default can be restored for 7 days. */
  permanent?: boolean | null | undefined;
}

/** What was deleted. */
export interface ConsumerDeleteResponse {
  /** The consumer. */
  consumerId: string;
  /** Whether it is deleted. */
  deleted: boolean;
  /** Whether it is deleted for good. */
  permanent: boolean;
  /** When it was deleted. */
  deletedAt: string | null;
  /** Keys that went with it. */
  keysAffected: number;
  /** What happened, for people. */
  message: string;
}

/** Which consumer. */
export interface ConsumerDetailsRequest {
  /** The consumer. */
  consumerId: string;
}

/** A consumer. */
export interface ConsumerDetailsResponse {
  /** The consumer. */
  consumerId: string;
  /** The project credential of the caller. */
  projectKey: string;
  /** Its name. */
  name: string | null;
  /** The address of a picture. */
  imageUrl: string | null;
  /** The caller's own identifier. */
  externalId: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** The address that is told of events. */
  webhookUrl: string | null;
  /** Its status. */
  status: ConsumerStatus | null;
  /** The plan that it holds. */
  planId: string | null;
  /** Its labels. */
  tags: string[];
  /** When it was made. */
  createdAt: string | null;
  /** When its keys stop validating; null: never. */
  expiresAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Its rate limit; null: none. */
  rateLimit: RateLimit | null;
  /** Its pool; null: unlimited. */
  credits: Credits | null;
}

/** A key of a consumer. */
export interface ConsumerKey {
  /** The key. */
  keyId: string;
  /** Its value, masked where it is not recoverable. */
  key: string;
  /** Its status, such as active. */
  status: string;
  /** When it was made. */
  createdAt: string | null;
  /** The APIs that it may call; * is every API of the project. */
  allowedApis: string[];
}

/** A pool beside the keys that share it. */
export interface ConsumerKeysCredits {
  /** The size of the pool now. */
  limit: number;
  /** Credits left, never below 0. */
  remaining: number;
  /** Credits used, overage included. */
  used: number;
}

/** Which consumer. */
export interface ConsumerKeysRequest {
  /** The consumer. */
  consumerId: string;
}

/** The keys of a consumer. */
export interface ConsumerKeysResponse {
  /** The consumer. */
  consumerId: string;
  /** The pool that all keys share; null: unlimited. */
  credits: ConsumerKeysCredits | null;
  /** How many keys there are. */
  total: number;
  /** The keys. */
  keys: ConsumerKey[];
}

/** A pool in a list. */
export interface ConsumerListCredits {
  /** The size of the pool now. */
  limit: number;
  /** Credits used, overage included. */
  used: number;
  /** Credits left, never below 0. */
  remaining: number;
  /** The schedule; absent when no refill is scheduled. */
  refill?: ConsumerListRefill;
}

/** A consumer in a list. */
export interface ConsumerListItem {
  /** The consumer. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** The address of a picture. */
  imageUrl: string | null;
  /** The plan that it holds. */
  planId: string | null;
  /** When it was made. */
  createdAt: string | null;
  /** Its status. */
  status: ConsumerStatus | null;
  /** Keys that it owns. */
  apiKeyCount: number;
  /** Its pool; null: unlimited. */
  credits: ConsumerListCredits | null;
}

/** A refill schedule in a list. */
export interface ConsumerListRefill {
  /** The next refill, in epoch milliseconds. */
  nextRefillAt: number;
}

/** Which consumers, in which order. */
export interface ConsumerListRequest {
  /** The page, counted from 1. There is none too far: one past the end is empty. */
  page?: number | null | undefined;
  /** Consumers on a page; 25 when absent. */
  limit?: number | null | undefined;
  /** Part of the name or the id, in any case. */
  search?: string | null | undefined;
  /** Holders of this plan only. */
  planId?: string | null | undefined;
  /** Consumers of this status only. */
  status?: ConsumerStatus | null | undefined;
  /** What to sort by. */
  sortBy?: ConsumerSortBy | null | undefined;
  /** The direction. */
  sortOrder?: SortOrder | null | undefined;
}

/** A page of consumers. */
export interface ConsumerListResponse {
  /** Consumers in the project. */
  total: number;
  /** Consumers after the filters. */
  filtered: number;
  /** The page, counted from 1. */
  page: number;
  /** Consumers on a page. */
  limit: number;
  /** Pages after the filters. */
  totalPages: number;
  /** What was sorted by. */
  sortBy: ConsumerSortBy | null;
  /** The direction. */
  sortOrder: SortOrder | null;
  /** The page. */
  consumers: ConsumerListItem[];
}

/** What /consumer/list sorts by. */
export type ConsumerSortBy = "createdAt" | "name" | "status" | "creditsUsed" | "creditsRemaining";

/** The master switch over every key of a consumer. */
export type ConsumerStatus = "active" | "disabled" | "deleted";

/** A change of a consumer. The mask lists what changes; without a mask, every field that is set. */
export interface ConsumerUpdateRequest {
  /** The consumer. */
  consumerId: string;
  /** The consumer's name. */
  name?: string | null | undefined;
  /** active or disabled; active restores a deleted consumer. */
  status?: ConsumerStatus | null | undefined;
  /** The plan; null detaches it and keeps what was copied. */
  planId?: string | null | undefined;
  /** The address that is told of events. */
  webhookUrl?: string | null | undefined;
  /** The address of a picture. */
  imageUrl?: string | null | undefined;
  /** The caller's own identifier of the consumer. */
  externalId?: string | null | undefined;
  /** Labels, replaced as a whole. */
  tags?: string[] | null | undefined;
  /** Data of the caller's own, replaced as a whole. */
  metadata?: JsonObject | null | undefined;
  /** When the consumer's keys stop validating. */
  expiresAt?: string | null | undefined;
  /** The pool, merged field by field; null makes the consumer unlimited. */
  credits?: CreditsUpdateInput | null | undefined;
  /** The rate limit, replaced as a whole; null removes it. */
  rateLimit?: RateLimitInput | null | undefined;
}

/** The consumer after the change. */
export interface ConsumerUpdateResponse {
  /** The consumer. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** Its status. */
  status: ConsumerStatus | null;
  /** Its pool; null: unlimited. */
  credits: Credits | null;
  /** Keys that came back with a deleted consumer. */
  keysRestored: number;
}

/** A credential, without its value. */
export interface Credential {
  /** The credential. */
  credentialId: string;
  /** Its name. */
  name: string | null;
  /** What it may do. */
  scopes: Scope[];
  /** When it was made. */
  createdAt: string | null;
  /** The last six characters of its value. */
  lastSix: string;
  /** When the value that was rotated away stops working; null: there is none. */
  previousValidUntil: string | null;
}

/** A pool as it stands, refills that are due included. */
export interface Credits {
  /** The size of the pool now. */
  limit: number;
  /** Credits used, overage included. */
  used: number;
  /** Credits left in the pool, never below 0. */
  remaining: number;
  /** Credits used beyond the pool. */
  overageUsed: number;
  /** Credits used at which a warning is due. */
  shadowLimit: number | null;
  /** Credits beyond the pool. */
  overage: Overage | null;
  /** The refill schedule; null: none. */
  refill: Refill | null;
  /** When the credits expire, in epoch milliseconds; null: never. */
  expiresAt: number | null;
}

/** The credits of a new consumer or of a plan. */
export interface CreditsSettings {
  /** The size of the pool. The sum of limit and overage.limit stays below 2^53. */
  limit: number | null;
  /** Credits used at which a warning is due, before the hard limit. */
  shadowLimit: number | null;
  /** Credits beyond the pool. */
  overage: Overage | null;
  /** The refill schedule; unset: the pool is not refilled. */
  refill: RefillSettings | null;
  /** The same as refill.carryover, which wins where both are given. */
  carryover: Carryover | null;
  /** When the credits expire, in epoch milliseconds; unset: never. */
  expiresAt: number | null;
}

/** The credits of a new consumer or of a plan. */
export interface CreditsSettingsInput {
  /** The size of the pool. The sum of limit and overage.limit stays below 2^53. */
  limit: number;
  /** Credits used at which a warning is due, before the hard limit. */
  shadowLimit?: number | null | undefined;
  /** Credits beyond the pool. */
  overage?: OverageInput | null | undefined;
  /** The refill schedule; unset: the pool is not refilled. */
  refill?: RefillSettingsInput | null | undefined;
  /** The same as refill.carryover, which wins where both are given. */
  carryover?: CarryoverInput | null | undefined;
  /** When the credits expire, in epoch milliseconds; unset: never. */
  expiresAt?: number | null | undefined;
}

/** A change of credits; fields that are absent stay as they are. */
export interface CreditsUpdateInput {
  /** The size of the pool. Required when the consumer had no credits. */
  limit?: number | null | undefined;
  /** Credits used so far. */
  used?: number | null | undefined;
  /** Credits used at which a warning is due; null turns it off. */
  shadowLimit?: number | null | undefined;
  /** Credits beyond the pool; null turns them off. */
  overage?: OverageInput | null | undefined;
  /** The refill schedule; null turns it off. */
  refill?: RefillSettingsInput | null | undefined;
  /** The same as refill.carryover, which wins where both are given. */
  carryover?: CarryoverInput | null | undefined;
  /** When the credits expire, in epoch milliseconds; null: never. */
  expiresAt?: number | null | undefined;
}

/** Which errors there were. */
export interface ErrorRateDetails {
  /** The HTTP statuses of errors, most frequent first; percentages are of the errors. */
  errorBreakdown: AnalyticsShare[];
}

/** A key of another service. */
export interface ImportedKeyInput {
  /** The SHA-256 hash of its value, in hexadecimal; no other key of the project may have it. */
  sha256?: string | null | undefined;
  /** Its name. */
  name?: string | null | undefined;
  /** The APIs that it may call; empty or * is every API of the project. */
  allowedApis?: string[] | null | undefined;
  /** When it stops validating. */
  expiresAt?: string | null | undefined;
}

/** A key that was taken over. */
export interface ImportedKeyResult {
  /** The key. */
  keyId: string;
  /** Its name. */
  name: string | null;
}

/** Calls to record. */
export interface IngestRequest {
  /** The calls. */
  events?: TrafficEventInput[] | null | undefined;
}

/** What became of the events; the three parts add up to all of them. */
export interface IngestResponse {
  /** Events that were recorded now. */
  accepted: number;
  /** Events that had been recorded before. */
  duplicates: number;
  /** Events that were refused, in order. */
  rejected: RejectedEvent[];
}

/** A key, its value masked. */
export interface Key {
  /** The key. */
  keyId: string;
  /** Its value, of which only the end is shown. */
  key: string;
  /** The consumer that owns it. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** active or disabled; deleted while its consumer is. */
  status: string;
  /** The APIs that it may call; * is every API of the project. */
  allowedApis: string[];
  /** What the value begins with; null for an imported key that was never rotated. */
  prefix: string | null;
  /** When it stops validating; null: never. */
  expiresAt: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** When the last of the values that were rotated away stops validating; null: none validates. */
  previousValidUntil: string | null;
}

/** A new key. */
export interface KeyCreateRequest {
  /** The consumer that owns the key. */
  consumerId: string;
  /** The key's name. */
  name?: string | null | undefined;
  /** The APIs that it may call; empty or * is every API of the project. */
  allowedApis?: string[] | null | undefined;
  /** What the value begins with; sk when absent. */
  prefix?: string | null | undefined;
  /** When the key stops validating. */
  expiresAt?: string | null | undefined;
  /** Data of the caller's own, at most 64 kB and 32 levels. */
  metadata?: JsonObject | null | undefined;
  /** Whether the key validates; true when absent. */
  enabled?: boolean | null | undefined;
}

/** The key that was made. */
export interface KeyCreateResponse {
  /** The key. */
  keyId: string;
  /** Its value. */
  key: string;
  /** The consumer that owns it. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** active or disabled. */
  status: string;
  /** The APIs that it may call; * is every API of the project. */
  allowedApis: string[];
  /** What the value begins with. */
  prefix: string | null;
  /** When it stops validating; null: never. */
  expiresAt: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** When it was made. */
  createdAt: string | null;
}

/** Which key. */
export interface KeyDeleteRequest {
  /** The key. */
  keyId: string;
}

/** The key that was deleted. */
export interface KeyDeleteResponse {
  /** The key. */
  keyId: string;
  /** Whether it is deleted. */
  deleted: boolean;
}

/** Which key. */
export interface KeyDetailsRequest {
  /** The key. */
  keyId: string;
}

/** A key. */
export interface KeyDetailsResponse {
  /** The key. */
  keyId: string;
  /** Its value, of which only the end is shown. */
  key: string;
  /** The consumer that owns it. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** active or disabled; deleted while its consumer is. */
  status: string;
  /** The APIs that it may call; * is every API of the project. */
  allowedApis: string[];
  /** What the value begins with; null for an imported key that was never rotated. */
  prefix: string | null;
  /** When it stops validating; null: never. */
  expiresAt: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** When the last of the values that were rotated away stops validating; null: none validates. */
  previousValidUntil: string | null;
}

/** Keys of another service. */
export interface KeyImportRequest {
  /** The consumer that will own them. */
  consumerId: string;
  /** The keys. */
  keys: ImportedKeyInput[];
}

/** The keys that were taken over, in order. */
export interface KeyImportResponse {
  /** The keys. */
  keys: ImportedKeyResult[];
}

/** Which keys. */
export interface KeyListRequest {
  /** Keys of this consumer only. */
  consumerId?: string | null | undefined;
  /** The page, counted from 1. */
  page?: number | null | undefined;
  /** Keys on a page; 25 when absent. */
  limit?: number | null | undefined;
}

/** A page of keys. */
export interface KeyListResponse {
  /** Keys that match. */
  total: number;
  /** The page, counted from 1. */
  page: number;
  /** Keys on a page. */
  limit: number;
  /** The page. */
  keys: Key[];
}

/** Which key, and for how long its old value goes on. */
export interface KeyRotateRequest {
  /** The key. */
  keyId: string;
  /** Seconds for which the old value still validates; 0 when absent. */
  graceSeconds?: number | null | undefined;
}

/** The key with its new value. */
export interface KeyRotateResponse {
  /** The key, as before. */
  keyId: string;
  /** Its new value. */
  key: string;
  /** The consumer that owns it. */
  consumerId: string;
  /** When the old value stops validating; null: it has. */
  previousValidUntil: string | null;
}

/** A change of a key. The mask lists what changes; without a mask, every field that is set. */
export interface KeyUpdateRequest {
  /** The key. */
  keyId: string;
  /** The key's name. */
  name?: string | null | undefined;
  /** The APIs that it may call, replaced as a whole; cleared, or empty, is every API of the project. */
  allowedApis?: string[] | null | undefined;
  /** When the key stops validating; cleared: never. */
  expiresAt?: string | null | undefined;
  /** Data of the caller's own, replaced as a whole. */
  metadata?: JsonObject | null | undefined;
  /** Whether the key validates; cleared: true. */
  enabled?: boolean | null | undefined;
}

/** The key after the change. */
export interface KeyUpdateResponse {
  /** The key. */
  keyId: string;
  /** Its value, of which only the end is shown. */
  key: string;
  /** The consumer that owns it. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** active or disabled; deleted while its consumer is. */
  status: string;
  /** The APIs that it may call; * is every API of the project. */
  allowedApis: string[];
  /** What the value begins with; null for an imported key that was never rotated. */
  prefix: string | null;
  /** When it stops validating; null: never. */
  expiresAt: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** When the last of the values that were rotated away stops validating; null: none validates. */
  previousValidUntil: string | null;
}

/** Keys to judge. */
export interface KeyValidateBatchRequest {
  /** The validations. */
  requests: KeyValidateRequest[];
}

/** The verdicts. */
export interface KeyValidateBatchResponse {
  /** The verdicts, in the order of the requests. */
  results: KeyValidateResponse[];
}

/** A key to judge. */
export interface KeyValidateRequest {
  /** The key's value. */
  key: string;
  /** The API that is called; absent: no API check. */
  apiId?: string | null | undefined;
  /** What the call costs; 1 when absent, 0 only checks. */
  credits?: number | null | undefined;
  /** An idempotency key for 24 hours: the same id again answers the first VALID verdict and charges nothing. */
  requestId?: string | null | undefined;
  /** The endpoint that is called, for the analytics. */
  endpoint?: string | null | undefined;
  /** The HTTP method, for the analytics. */
  method?: string | null | undefined;
  /** The caller's address, for the analytics. */
  clientIp?: string | null | undefined;
  /** The caller's user agent, for the analytics. */
  userAgent?: string | null | undefined;
  /** The caller's country, for the analytics. */
  country?: string | null | undefined;
  /** The caller's region, for the analytics. */
  region?: string | null | undefined;
}

/** A verdict. */
export interface KeyValidateResponse {
  /** Whether the key may pass. */
  valid: boolean;
  /** The verdict. */
  code: VerdictCode | null;
  /** The id of this validation, the caller's own where one was given. */
  requestId: string;
  /** The key; null when it was not found. */
  keyId: string | null;
  /** The API that is called. */
  apiId: string | null;
  /** The consumer that owns the key; null when the key was not found. */
  consumer: ValidatedConsumer | null;
  /** The pool after the verdict; null: unlimited, or the key was not found. */
  credits: ValidatedCredits | null;
  /** The rate limit after the verdict; null: none, or the key was not found. */
  rateLimit: ValidatedRateLimit | null;
  /** Seconds until a denied call may pass; absent when that is not known. */
  retryAfterSeconds?: number;
}

/** How long answers took, in milliseconds. */
export interface LatencyDetails {
  /** The mean. */
  avg: number;
  /** The shortest. */
  min: number;
  /** The longest. */
  max: number;
  /** What half of the answers stayed within. */
  p50: number;
  /** What 90 of 100 answers stayed within. */
  p90: number;
  /** What 95 of 100 answers stayed within. */
  p95: number;
  /** What 99 of 100 answers stayed within. */
  p99: number;
  /** Ranges of latency, shortest first. */
  histogram: AnalyticsShare[];
}

/** An event. Text that is not known is empty. */
export interface LogRow {
  /** The request. */
  requestId: string;
  /** When it was, as YYYY-MM-DD HH:MM:SS in UTC; a look at the detail needs it. */
  timestamp: string;
  /** The same in Unix seconds. */
  tsUnix: number;
  /** The HTTP method. */
  method: string;
  /** The endpoint that was called. */
  endpoint: string;
  /** The path with its query string. */
  path: string;
  /** The HTTP status; for a validation the one that goes with its verdict. */
  statusCode: number;
  /** How long the answer took, in milliseconds. */
  latencyMs: number;
  /** The caller's address. */
  clientIp: string;
  /** The key, of which only the end is shown. */
  apiKey: string;
  /** The API that was called. */
  apiId: string;
  /** The name of the API. */
  apiName: string;
  /** The consumer that called. */
  consumerId: string;
  /** The name of the consumer. */
  consumerName: string;
  /** The caller's country. */
  country: string;
  /** The caller's region. */
  region: string;
  /** The verdict; on validations only. */
  code?: VerdictCode;
  /** The key that was validated, empty when it was not found; on validations only. */
  keyId?: string;
  /** What the validation charged; on validations only. */
  creditsCharged?: number;
  /** Credits left after it; on validations only, null where usage is unlimited or the key was not found. */
  creditsRemaining?: number | null;
  /** The caller's user agent; in the detail only. */
  userAgent?: string;
}

/** Credits that may be spent once the pool is empty. */
export interface Overage {
  /** Whether overage is allowed. */
  enabled: boolean | null;
  /** How many credits beyond the pool; needed when enabled. */
  limit: number | null;
}

/** Credits that may be spent once the pool is empty. */
export interface OverageInput {
  /** Whether overage is allowed. */
  enabled: boolean;
  /** How many credits beyond the pool; needed when enabled. */
  limit?: number | null | undefined;
}

/** A plan in a list. */
export interface Plan {
  /** The plan. */
  planId: string;
  /** Its name. */
  name: string;
  /** The credit pool of its holders; null: the plan gives no credits. */
  credits: CreditsSettings | null;
  /** The rate limit of its holders; null: the plan gives none. */
  rateLimit: RateLimit | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
}

/** A new plan. */
export interface PlanCreateRequest {
  /** The plan's name. */
  name: string;
  /** The credit pool of its holders; unset: the plan gives no credits. */
  credits?: CreditsSettingsInput | null | undefined;
  /** The rate limit of its holders; unset: the plan gives none. */
  rateLimit?: RateLimitInput | null | undefined;
}

/** The plan that was made. */
export interface PlanCreateResponse {
  /** The plan. */
  planId: string;
  /** Its name. */
  name: string;
  /** The credit pool of its holders; null: the plan gives no credits. */
  credits: CreditsSettings | null;
  /** The rate limit of its holders; null: the plan gives none. */
  rateLimit: RateLimit | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
}

/** Which plan. */
export interface PlanDeleteRequest {
  /** The plan. */
  planId: string;
}

/** The plan that was deleted. */
export interface PlanDeleteResponse {
  /** The plan. */
  planId: string;
  /** Whether it is deleted. */
  deleted: boolean;
}

/** Which plan. */
export interface PlanDetailsRequest {
  /** The plan. */
  planId: string;
}

/** A plan. */
export interface PlanDetailsResponse {
  /** The plan. */
  planId: string;
  /** Its name. */
  name: string;
  /** The credit pool of its holders; null: the plan gives no credits. */
  credits: CreditsSettings | null;
  /** The rate limit of its holders; null: the plan gives none. */
  rateLimit: RateLimit | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
}

/** Which plans. */
export interface PlanListRequest {
  /** The page, counted from 1. */
  page?: number | null | undefined;
  /** Plans on a page; 25 when absent. */
  limit?: number | null | undefined;
}

/** A page of plans. */
export interface PlanListResponse {
  /** Plans in the project. */
  total: number;
  /** The page, counted from 1. */
  page: number;
  /** Plans on a page. */
  limit: number;
  /** The page. */
  plans: Plan[];
}

/** A change of a plan. The mask lists what changes; without a mask, every field that is set. */
export interface PlanUpdateRequest {
  /** The plan. */
  planId: string;
  /** Copy the plan, as it is after the change, onto every consumer that holds it; credits used are kept. */
  applyToConsumers?: boolean | null | undefined;
  /** The plan's name, which cannot be cleared. */
  name?: string | null | undefined;
  /** The credit pool of its holders, replaced as a whole; null: the plan gives no credits. */
  credits?: CreditsSettingsInput | null | undefined;
  /** The rate limit of its holders, replaced as a whole; null: the plan gives none. */
  rateLimit?: RateLimitInput | null | undefined;
}

/** The plan after the change. */
export interface PlanUpdateResponse {
  /** The plan. */
  planId: string;
  /** Its name. */
  name: string;
  /** The credit pool of its holders; null: the plan gives no credits. */
  credits: CreditsSettings | null;
  /** The rate limit of its holders; null: the plan gives none. */
  rateLimit: RateLimit | null;
  /** When it was made. */
  createdAt: string | null;
  /** When it was last changed. */
  updatedAt: string | null;
  /** Consumers that the plan was applied to. */
  consumersUpdated: number;
}

/** A project in a list. */
export interface Project {
  /** The project. */
  projectId: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  createdAt: string | null;
}

/** A new project. */
export interface ProjectCreateRequest {
  /** The project's name. */
  name: string;
}

/** The project that was made. */
export interface ProjectCreateResponse {
  /** The project. */
  projectId: string;
  /** Its name. */
  name: string;
  /** The value of its first credential, which is never shown again. */
  projectKey: string;
  /** When it was made. */
  createdAt: string | null;
}

/** A new credential. */
export interface ProjectCredentialCreateRequest {
  /** The credential's name. */
  name?: string | null | undefined;
  /** What it may do; empty: all scopes of a project. */
  scopes?: Scope[] | null | undefined;
}

/** The credential that was made. */
export interface ProjectCredentialCreateResponse {
  /** The credential. */
  credentialId: string;
  /** Its name. */
  name: string | null;
  /** What it may do. */
  scopes: Scope[];
  /** When it was made. */
  createdAt: string | null;
  /** Its value, which is never shown again. */
  projectKey: string;
  /** The last six characters of its value. */
  lastSix: string;
}

/** Which credentials. */
export interface ProjectCredentialListRequest {
  /** The page, counted from 1. */
  page?: number | null | undefined;
  /** Credentials on a page; 25 when absent. */
  limit?: number | null | undefined;
}

/** A page of credentials. */
export interface ProjectCredentialListResponse {
  /** Credentials of the project. */
  total: number;
  /** The page, counted from 1. */
  page: number;
  /** Credentials on a page. */
  limit: number;
  /** The page. */
  credentials: Credential[];
}

/** Which credential. */
export interface ProjectCredentialRevokeRequest {
  /** The credential. */
  credentialId: string;
}

/** The credential that was revoked. */
export interface ProjectCredentialRevokeResponse {
  /** The credential. */
  credentialId: string;
  /** Whether it is revoked. */
  revoked: boolean;
}

/** Which credential, and for how long its old value goes on. */
export interface ProjectCredentialRotateRequest {
  /** The credential. */
  credentialId: string;
  /** Seconds for which the old value still works; 0 when absent. */
  graceSeconds?: number | null | undefined;
}

/** The credential with its new value. */
export interface ProjectCredentialRotateResponse {
  /** The credential, as before. */
  credentialId: string;
  /** Its name. */
  name: string | null;
  /** What it may do. */
  scopes: Scope[];
  /** When it was made. */
  createdAt: string | null;
  /** Its new value, which is never shown again. */
  projectKey: string;
  /** The last six characters of the new value. */
  lastSix: string;
  /** When the old value stops working; null: it has. */
  previousValidUntil: string | null;
}

/** Which project. */
export interface ProjectDeleteRequest {
  /** The project. */
  projectId: string;
}

/** The project that was deleted. */
export interface ProjectDeleteResponse {
  /** The project. */
  projectId: string;
  /** Whether it is deleted. */
  deleted: boolean;
}

/** Which projects. */
export interface ProjectListRequest {
  /** The page, counted from 1. */
  page?: number | null | undefined;
  /** Projects on a page; 25 when absent. */
  limit?: number | null | undefined;
}

/** A page of projects. */
export interface ProjectListResponse {
  /** Projects that there are. */
  total: number;
  /** The page, counted from 1. */
  page: number;
  /** Projects on a page. */
  limit: number;
  /** The page. */
  projects: Project[];
}

/** Calls of /key/validate that may pass in a window, over all keys of a consumer. */
export interface RateLimit {
  /** Calls per window. */
  limit: number | null;
  /** The window's length in seconds; 1 when absent. */
  window: number | null;
}

/** Calls of /key/validate that may pass in a window, over all keys of a consumer. */
export interface RateLimitInput {
  /** Calls per window. */
  limit: number;
  /** The window's length in seconds; 1 when absent. */
  window?: number | null | undefined;
}

/** A refill schedule as it stands. */
export interface Refill {
  /** The interval. */
  every: string;
  /** Credits granted at each refill. */
  refillCredit: number;
  /** reset or add. */
  refillPolicy: RefillPolicy | null;
  /** What rolls over; null: not configured. */
  carryover: Carryover | null;
  /** The next refill, in epoch milliseconds. */
  nextRefillAt: number;
}

/** How a refill treats what is left of the pool. */
export type RefillPolicy = "reset" | "add";

/** A schedule that refills the pool. */
export interface RefillSettings {
  /** The interval, a number and a unit, h for hours or d for days: 1h, 7d, 30d. Any other value counts as 1d. */
  every: string | null;
  /** Credits granted at each refill. */
  refillCredit: number | null;
  /** reset (the default) or add. */
  refillPolicy: RefillPolicy | null;
  /** What rolls over; unset: nothing does under reset, everything under add. */
  carryover: Carryover | null;
}

/** A schedule that refills the pool. */
export interface RefillSettingsInput {
  /** The interval, a number and a unit, h for hours or d for days: 1h, 7d, 30d. Any other value counts as 1d. */
  every: string;
  /** Credits granted at each refill. */
  refillCredit: number;
  /** reset (the default) or add. */
  refillPolicy?: RefillPolicy | null | undefined;
  /** What rolls over; unset: nothing does under reset, everything under add. */
  carryover?: CarryoverInput | null | undefined;
}

/** An event that was refused. */
export interface RejectedEvent {
  /** Its place in the request, counted from 0. */
  index: number;
  /** What is wrong with it, for people. */
  message: string;
}

/** What a credential may do. A project credential carries any of the first four, SCOPE_MANAGE includes them all. */
export type Scope = "manage" | "read" | "validate" | "ingest" | "operator";

/** The direction of a sort. */
export type SortOrder = "asc" | "desc";

/** Which events a list shows, by their HTTP status. */
export type StatusFilter = "all" | "success" | "error";

/** A window up to now. */
export type TimeRange = "1h" | "3h" | "6h" | "12h" | "24h" | "7d" | "30d";

/** A bucket. */
export interface TimeseriesPoint {
  /** When it begins. */
  timeBucket: string | null;
  /** Calls in it. */
  requests: number;
  /** Errors among them. */
  errors: number;
  /** The mean time an answer took, in milliseconds; 0 without calls. */
  avgLatencyMs: number;
}

/** How many calls each API had. */
export interface TotalApiCallsDetails {
  /** Calls. */
  total: number;
  /** The APIs by their ids, most frequent first. */
  byApi: AnalyticsShare[];
}

/** How many calls there were. */
export interface TotalRequestsDetails {
  /** Calls. */
  total: number;
  /** The HTTP methods, most frequent first. */
  byMethod: AnalyticsShare[];
  /** The classes of status, 2xx and so on, most frequent first. */
  byStatusClass: AnalyticsShare[];
}

/** A call that a guarded application served. No field has a rule here, because a rule that fails refuses the whole request, while a bad event is rejected alone: the service checks each event itself. */
export interface TrafficEventInput {
  /** The id of the call, which ties it to a validation and is recorded once in 24 hours; one is made when absent. 1 to 128 visible ASCII characters. */
  requestId?: string | null | undefined;
  /** When it was served: YYYY-MM-DD HH:MM:SS in UTC, ISO 8601, or Unix seconds or milliseconds. Now when absent; at most 30 days old, less where the service keeps events for less, and 5 minutes ahead. */
  timestamp?: string | number | null | undefined;
  /** The same in Unix seconds, as log rows have it; read when timestamp is absent. */
  tsUnix?: number | null | undefined;
  /** The HTTP method. Required; at most 64 characters. */
  method: string;
  /** The endpoint, the path without what varies from call to call; the path without its query when absent. One of the two is required. At most 8,192 characters. */
  endpoint?: string | null | undefined;
  /** The path with its query string. At most 8,192 characters. */
  path?: string | null | undefined;
  /** The HTTP status that was answered. Required; 100 to 599. */
  statusCode: number;
  /** How long the answer took, in milliseconds, kept to the microsecond; 0 when absent, at most a day. */
  latencyMs?: number | null | undefined;
  /** The caller's address. At most 256 characters, as country and region. */
  clientIp?: string | null | undefined;
  /** The key that the caller presented; only its end is kept. */
  apiKey?: string | null | undefined;
  /** The API that was called. */
  apiId?: string | null | undefined;
  /** What the API was called then; the name that the project gave the API wins. */
  apiName?: string | null | undefined;
  /** The consumer that called. */
  consumerId?: string | null | undefined;
  /** A label for the consumer; the consumer's own name is shown when absent. */
  consumerName?: string | null | undefined;
  /** The caller's country. */
  country?: string | null | undefined;
  /** The caller's region. */
  region?: string | null | undefined;
  /** The caller's user agent. */
  userAgent?: string | null | undefined;
  /** The body of the request, of which the first 2,048 bytes are kept. */
  requestBody?: string | null | undefined;
  /** The body of the response, of which the first 2,048 bytes are kept. */
  responseBody?: string | null | undefined;
  /** The headers of the request, as the JSON text of an object. Authorization, Cookie, Proxy-Authorization, Set-Cookie and X-API-Key are left out; what is left is at most 16,384 bytes. */
  requestHeaders?: string | null | undefined;
  /** The headers of the response, likewise. */
  responseHeaders?: string | null | undefined;
}

/** The consumer that owns a validated key. */
export interface ValidatedConsumer {
  /** The consumer. */
  consumerId: string;
  /** Its name. */
  name: string | null;
  /** The caller's own identifier. */
  externalId: string | null;
  /** The plan that it holds. */
  planId: string | null;
  /** Data of the caller's own. */
  metadata: JsonObject | null;
  /** Its labels. */
  tags: string[];
}

/** A pool after a verdict. */
export interface ValidatedCredits {
  /** The size of the pool now. */
  limit: number;
  /** Credits used, overage included. */
  used: number;
  /** Credits left, never below 0. */
  remaining: number;
  /** Credits used beyond the pool. */
  overageUsed: number;
  /** What this validation charged. */
  cost: number;
  /** The next refill, in epoch milliseconds; null: none. */
  nextRefillAt: number | null;
}

/** A rate limit after a verdict. */
export interface ValidatedRateLimit {
  /** Calls per window. */
  limit: number;
  /** The window's length in seconds. */
  window: number;
  /** Calls left in this window. */
  remaining: number;
  /** When the next window begins, in epoch milliseconds. */
  resetAt: number;
}

/** The verdict on a key. The first that applies, in this order from NOT_FOUND on, is the one given. */
export type VerdictCode = "VALID" | "NOT_FOUND" | "KEY_DISABLED" | "KEY_EXPIRED" | "CONSUMER_DISABLED" | "CONSUMER_EXPIRED" | "API_NOT_ALLOWED" | "RATE_LIMITED" | "USAGE_EXCEEDED";

/** Which events. */
export interface WebhookDeliveriesRequest {
  /** Events of this consumer only. */
  consumerId?: string | null | undefined;
  /** Events of this type only. */
  type?: WebhookEventType | null | undefined;
  /** Events of this status only. */
  status?: WebhookDeliveryStatus | null | undefined;
  /** Where to go on: the nextCursor of the page before; absent: the first page. */
  cursor?: string | null | undefined;
  /** Events on a page; 50 when absent. */
  pageSize?: number | null | undefined;
}

/** A page of events. */
export interface WebhookDeliveriesResponse {
  /** The page. */
  deliveries: WebhookDelivery[];
  /** What to send for the next page; null on the last one. */
  nextCursor: string | null;
}

/** An event and what became of it. */
export interface WebhookDelivery {
  /** The event, which the receiver sees as webhook-id. */
  eventId: string;
  /** What it tells of. */
  type: WebhookEventType | null;
  /** The consumer that it concerns. */
  consumerId: string;
  /** The address that it is sent to. */
  url: string;
  /** The data in its body. */
  data: JsonObject | null;
  /** How far the sending is. */
  status: WebhookDeliveryStatus | null;
  /** Attempts so far. */
  attempts: number;
  /** When what it tells of happened. */
  createdAt: string | null;
  /** When it was last tried; null: never yet. */
  lastAttemptAt: string | null;
  /** When it is tried next; null: no attempt follows. */
  nextAttemptAt: string | null;
  /** The HTTP status that the last attempt got; null: no answer. */
  lastStatusCode: number | null;
  /** Why the last attempt failed, for people; null: it did not. */
  lastError: string | null;
  /** When the receiver took it; null: it has not. */
  deliveredAt: string | null;
}

/** How far the sending of an event is. */
export type WebhookDeliveryStatus = "pending" | "delivered" | "failed";

/** What an event tells of. */
export type WebhookEventType = "consumer.credits.threshold_reached" | "consumer.credits.exhausted" | "consumer.credits.overage_started" | "consumer.credits.refilled" | "consumer.status_changed" | "consumer.deleted" | "consumer.restored" | "key.created" | "key.rotated" | "key.deleted";

/** Which event. */
export interface WebhookReplayRequest {
  /** The event. */
  eventId: string;
}

/** The event that is sent again. */
export interface WebhookReplayResponse {
  /** The event, as before. */
  eventId: string;
  /** How far the sending is. */
  status: WebhookDeliveryStatus | null;
  /** When it is tried next. */
  nextAttemptAt: string | null;
}

/** For how long the old secret goes on. */
export interface WebhookSecretRotateRequest {
  /** Seconds for which the old secret still signs beside the new one; 86400 when absent. */
  graceSeconds?: number | null | undefined;
}

/** The new secret. */
export interface WebhookSecretRotateResponse {
  /** The secret, which begins with whsec_ and is never shown again. */
  secret: string;
  /** When the old secret stops signing; null: it has. */
  previousValidUntil: string | null;
}
