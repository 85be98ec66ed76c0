import { missing, type Row } from "./row.ts";

const QUERY = { source: "api_traffic", timeRange: "24h", filters: { method: "GET", statusCode: [200, "404"] } };
const NO_QUERY = {
  request: { apiId: "a".repeat(129), filters: { statusCode: 1_000, method: ["GET", "m".repeat(65)] } },
};
const NO_QUERY_FIELDS = ["source", "apiId", "filters.method[1]", "filters.statusCode[0]"];

/** The methods of events: those that take them, show them, and send them on. */
export const EVENT_ROWS: Record<string, Row> = {
  "/analytics/stats": { broken: { ...NO_QUERY, fields: NO_QUERY_FIELDS }, good: () => QUERY },
  "/analytics/stats/details": {
    broken: { ...NO_QUERY, fields: [...NO_QUERY_FIELDS, "card"] },
    good: () => ({ ...QUERY, card: "errorRate" }),
  },
  "/analytics/timeseries": {
    broken: { ...NO_QUERY, fields: NO_QUERY_FIELDS },
    good: () => ({ source: "key_activity", startTime: "2026-01-31T12:00:00Z", endTime: "2026-01-31T13:00:00Z" }),
  },
  "/analytics/breakdown": {
    broken: { ...NO_QUERY, fields: [...NO_QUERY_FIELDS, "dimension"] },
    good: () => ({ ...QUERY, dimension: "statusCode" }),
  },
  "/analytics/logs": {
    broken: { request: { source: "key_activity", pageSize: 0 }, fields: ["pageSize"] },
    good: () => ({ ...QUERY, pageSize: 10, statusFilter: "error" }),
  },
  "/analytics/logs/export": {
    broken: { request: { filters: { statusCode: 1_000 } }, fields: ["source", "filters.statusCode[0]"] },
    good: () => ({ ...QUERY, statusFilter: "success" }),
  },
  "/analytics/logs/detail": {
    broken: { request: { timestamp: "1".repeat(65) }, fields: ["requestId", "timestamp"] },
    good: () => ({ requestId: "req_1", timestamp: 1_769_860_800_000, source: "api_traffic" }),
  },
  "/analytics/logs/tail": { broken: missing("source"), good: () => ({ source: "api_traffic", statusFilter: "all" }) },
  "/ingest": {
    broken: { request: { events: Array.from({ length: 1_001 }, () => ({})) }, fields: ["events"] },
    good: () => ({
      events: [
        { method: "GET", endpoint: "/a", statusCode: 200, latencyMs: 1.5, timestamp: Date.now() },
        { method: "GET", endpoint: "/a", timestamp: "0001-01-01 00:00:00" },
      ],
    }),
    volatile: {},
  },
  "/webhook/deliveries": {
    broken: { request: { consumerId: "c".repeat(129), pageSize: -1 }, fields: ["consumerId", "pageSize"] },
    good: () => ({ type: "consumer.credits.exhausted", status: "pending", pageSize: 10 }),
  },
  "/webhook/replay": { broken: missing("eventId"), good: () => ({ eventId: "evt_1" }) },
  "/webhook/secret/rotate": {
    broken: { request: { graceSeconds: -1 }, fields: ["graceSeconds"] },
    good: () => ({ graceSeconds: 60 }),
  },
};
