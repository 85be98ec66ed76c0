import { setTimeout as sleep } from "node:timers/promises";
import type { TestService } from "../harness/service.ts";
import { missing, type Row, TIME } from "./row.ts";

const QUERY = { source: "api_traffic", timeRange: "24h", filters: { method: "GET", statusCode: [200, "404"] } };
const NO_QUERY = {
  request: { apiId: "a".repeat(129), filters: { statusCode: 1_000, method: ["GET", "m".repeat(65)] } },
};
const NO_QUERY_FIELDS = ["source", "apiId", "filters.method[1]", "filters.statusCode[0]"];

const TAIL = { source: "api_traffic", statusFilter: "all" };

const RECORDING_MS = 200;
const RECORDINGS = 150;

/** Records a call again and again, so that whoever has begun to follow sees one, however late. */
async function recordMeanwhile(service: TestService): Promise<void> {
  const event = { method: "GET", path: "/tailed", statusCode: 200 };
  try {
    for (let count = 0; count < RECORDINGS; count++) {
      await sleep(RECORDING_MS);
      await service.call("/ingest", { events: [event] });
    }
  } catch {
    // The service is closed: from here on its port may be somebody else's.
  }
}

/** The methods of events: those that take them, show them, and send them on. */
export const EVENT_ROWS: Record<string, Row> = {
  "/analytics/stats": { broken: { ...NO_QUERY, fields: NO_QUERY_FIELDS }, good: () => QUERY, volatile: {} },
  "/analytics/stats/details": {
    broken: { ...NO_QUERY, fields: [...NO_QUERY_FIELDS, "card"] },
    good: () => ({ ...QUERY, card: "errorRate" }),
    volatile: {},
  },
  "/analytics/timeseries": {
    broken: { ...NO_QUERY, fields: NO_QUERY_FIELDS },
    good: () => ({ source: "key_activity", startTime: "2026-01-31T12:00:00Z", endTime: "2026-01-31T13:00:00Z" }),
    volatile: {},
  },
  "/analytics/breakdown": {
    broken: { ...NO_QUERY, fields: [...NO_QUERY_FIELDS, "dimension"] },
    good: () => ({ ...QUERY, dimension: "statusCode" }),
    volatile: {},
  },
  "/analytics/logs": {
    broken: { request: { source: "key_activity", pageSize: 0 }, fields: ["pageSize"] },
    good: () => ({ ...QUERY, pageSize: 10, statusFilter: "error" }),
    volatile: {},
  },
  "/analytics/logs/export": {
    broken: { request: { filters: { statusCode: 1_000 } }, fields: ["source", "filters.statusCode[0]"] },
    good: () => ({ ...QUERY, statusFilter: "success" }),
    volatile: {},
  },
  "/analytics/logs/detail": {
    broken: { request: { timestamp: "1".repeat(65) }, fields: ["requestId", "timestamp"] },
    good: ({ recorded }) => ({ ...recorded, source: "api_traffic" }),
    volatile: {},
  },
  "/analytics/logs/tail": {
    broken: missing("source"),
    good: () => TAIL,
    async fresh(service) {
      void recordMeanwhile(service);
      return TAIL;
    },
    volatile: { "row.requestId": /^req_/, "row.timestamp": /^\d{4}-/, "row.tsUnix": /^\d+$/ },
  },
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
    good: ({ told }) => ({ consumerId: told.consumerId, type: "key.created", status: "delivered", pageSize: 1 }),
    volatile: {},
  },
  "/webhook/replay": {
    broken: missing("eventId"),
    good: ({ told }) => ({ eventId: told.eventId }),
    volatile: { nextAttemptAt: TIME },
  },
  "/webhook/secret/rotate": {
    broken: { request: { graceSeconds: -1 }, fields: ["graceSeconds"] },
    good: () => ({ graceSeconds: 0 }),
    volatile: { secret: /^whsec_[\w+/]{43}=$/ },
  },
};
