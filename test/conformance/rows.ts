import type { JsonObject } from "@bufbuild/protobuf";
import { createConsumerWithKey, type TestService } from "../harness/service.ts";

/** What exists before the calls, for requests to name. */
export interface World {
  consumerId: string;
  /** Deleted already: it can be deleted by every protocol with the same answer. */
  deletedConsumerId: string;
  keyId: string;
  key: string;
  apiId: string;
}

export interface Row {
  /** A request that breaks field rules, and the fields that must be named for it, in this order. */
  broken: { request: JsonObject; fields: string[] };
  good: (world: World) => JsonObject;
  /**
   * The fields of the response that differ from call to call, each with the form it must have; all others must be the
   * same in every protocol. Absent: the method is not built, and says so.
   */
  volatile?: Record<string, RegExp>;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LONG_TEXT = "x".repeat(20_000);
const FIRST_PAGE = { page: 1, limit: 10 };
/** Both ends of the page rules at once. */
const NO_PAGE = { request: { page: 0, limit: 201 }, fields: ["page", "limit"] };
const QUERY = { source: "api_traffic", timeRange: "24h", filters: { method: "GET", statusCode: [200, "404"] } };
const NO_QUERY = {
  request: { apiId: "a".repeat(129), filters: { statusCode: 1_000, method: ["GET", "m".repeat(65)] } },
};
const NO_QUERY_FIELDS = ["source", "apiId", "filters.method[1]", "filters.statusCode[0]"];

/** A request without the id that it must name. */
function missing(field: string): Row["broken"] {
  return { request: {}, fields: [field] };
}

/** Every method by its path. */
export const ROWS: Record<string, Row> = {
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
  "/analytics/logs/detail": {
    broken: { request: { timestamp: "1".repeat(65) }, fields: ["requestId", "timestamp"] },
    good: () => ({ requestId: "req_1", timestamp: 1_769_860_800_000, source: "api_traffic" }),
  },
  "/analytics/logs/tail": { broken: missing("source"), good: () => ({ source: "api_traffic", statusFilter: "all" }) },
  "/api/create": {
    broken: { request: { name: LONG_TEXT }, fields: ["name"] },
    good: () => ({ name: "an API of many names" }),
    volatile: { apiId: /^api_\w+$/, createdAt: TIME, updatedAt: TIME },
  },
  "/api/update": {
    broken: { request: { name: "" }, fields: ["apiId", "name"] },
    good: ({ apiId }) => ({ apiId, name: "another" }),
  },
  "/api/details": { broken: missing("apiId"), good: ({ apiId }) => ({ apiId }) },
  "/api/list": { broken: NO_PAGE, good: () => FIRST_PAGE },
  "/api/delete": { broken: missing("apiId"), good: ({ apiId }) => ({ apiId }) },
  "/audit/list": {
    broken: { request: { targetId: "t".repeat(129), pageSize: 201 }, fields: ["targetId", "pageSize"] },
    good: () => ({ pageSize: 10 }),
    volatile: {},
  },
  "/consumer/create": {
    broken: {
      request: {
        name: LONG_TEXT,
        credits: { limit: -1, overage: { limit: 1 }, refill: { every: "1d" } },
        rateLimit: { limit: 0, window: 86_401 },
        tags: ["good", "t".repeat(257)],
        status: "deleted",
      },
      fields: [
        "name",
        "credits.limit",
        "credits.overage.enabled",
        "credits.refill.refillCredit",
        "rateLimit.limit",
        "rateLimit.window",
        "tags[1]",
        "status",
      ],
    },
    good: () => ({
      name: "Zoë 🗝",
      externalId: "outside",
      tags: ["one", "two"],
      metadata: { $set: { "a.b": [1, null, true, "\0"] }, "": 0.5 },
      credits: { limit: 2 ** 53 - 2, overage: { enabled: true, limit: 1 }, refill: { every: "1h", refillCredit: 3 } },
      rateLimit: { limit: 5 },
      expiresAt: "2030-01-31T12:00:00.250Z",
    }),
    volatile: { consumerId: /^consumer_\w+$/, createdAt: TIME },
  },
  "/consumer/update": {
    broken: {
      request: { planId: "", credits: { used: -1, refill: { every: "1d" } }, rateLimit: {} },
      fields: ["consumerId", "planId", "credits.used", "credits.refill.refillCredit", "rateLimit.limit"],
    },
    good: ({ consumerId }) => ({ consumerId, name: null, tags: ["new"], credits: { limit: 10, shadowLimit: null } }),
    volatile: {},
  },
  "/consumer/details": { broken: missing("consumerId"), good: ({ consumerId }) => ({ consumerId }), volatile: {} },
  "/consumer/list": { broken: NO_PAGE, good: () => ({ ...FIRST_PAGE, sortBy: "creditsUsed", sortOrder: "desc" }) },
  "/consumer/keys": { broken: missing("consumerId"), good: ({ consumerId }) => ({ consumerId }), volatile: {} },
  "/consumer/delete": {
    broken: { request: { permanent: true }, fields: ["consumerId"] },
    good: ({ deletedConsumerId }) => ({ consumerId: deletedConsumerId, permanent: false }),
    volatile: {},
  },
  "/ingest": {
    broken: { request: { events: Array.from({ length: 1_001 }, () => ({})) }, fields: ["events"] },
    good: () => ({
      events: [{ method: "GET", endpoint: "/a", statusCode: 200, latencyMs: 1.5, timestamp: 1_769_860_800 }],
    }),
  },
  "/key/create": {
    broken: { request: { allowedApis: ["*", ""], prefix: "_no" }, fields: ["consumerId", "allowedApis[1]", "prefix"] },
    good: ({ consumerId, apiId }) => ({
      consumerId,
      name: "second",
      allowedApis: [apiId],
      prefix: "live",
      expiresAt: "2030-01-31T12:00:00.250Z",
      metadata: { __proto__x: { deep: [{}] } },
      enabled: false,
    }),
    volatile: { keyId: /^key_\w+$/, key: /^live_\w+$/, createdAt: TIME },
  },
  "/key/update": {
    broken: { request: { name: LONG_TEXT }, fields: ["keyId", "name"] },
    good: ({ keyId }) => ({ keyId, enabled: true, expiresAt: null }),
  },
  "/key/details": { broken: missing("keyId"), good: ({ keyId }) => ({ keyId }) },
  "/key/list": { broken: NO_PAGE, good: ({ consumerId }) => ({ ...FIRST_PAGE, consumerId }) },
  "/key/rotate": {
    broken: { request: { graceSeconds: 31_536_001 }, fields: ["keyId", "graceSeconds"] },
    good: ({ keyId }) => ({ keyId, graceSeconds: 60 }),
  },
  "/key/delete": { broken: missing("keyId"), good: ({ keyId }) => ({ keyId }) },
  "/key/import": {
    broken: { request: { keys: [] }, fields: ["consumerId", "keys"] },
    good: ({ consumerId }) => ({ consumerId, keys: [{ sha256: "a".repeat(64), name: "imported" }] }),
  },
  "/key/validate": {
    broken: {
      request: { credits: -1, requestId: "with a space", country: "c".repeat(257) },
      fields: ["key", "credits", "requestId", "country"],
    },
    good: ({ key, apiId }) => ({ key, apiId, credits: 0, endpoint: "/e", method: "GET", clientIp: "::1" }),
    volatile: { requestId: /^req_\w+$/ },
  },
  "/key/validate/batch": {
    broken: {
      request: { requests: [{ key: "k" }, { credits: -1 }] },
      fields: ["requests[1].key", "requests[1].credits"],
    },
    good: ({ key }) => ({ requests: [{ key }, { key: "garbage", credits: 0 }] }),
  },
  "/plan/create": {
    broken: {
      request: { credits: {}, rateLimit: { window: 0 } },
      fields: ["name", "credits.limit", "rateLimit.limit", "rateLimit.window"],
    },
    good: () => ({ name: "a plan", credits: { limit: 10 }, rateLimit: { limit: 1, window: 60 } }),
  },
  "/plan/update": {
    broken: { request: { name: "", applyToConsumers: true }, fields: ["planId", "name"] },
    good: () => ({ planId: "plan_1", name: "renamed", applyToConsumers: true, rateLimit: null }),
  },
  "/plan/details": { broken: missing("planId"), good: () => ({ planId: "plan_1" }) },
  "/plan/list": { broken: NO_PAGE, good: () => FIRST_PAGE },
  "/plan/delete": { broken: missing("planId"), good: () => ({ planId: "plan_1" }) },
  "/project/create": {
    broken: missing("name"),
    good: () => ({ name: "a project" }),
    volatile: { projectId: /^project_\w+$/, projectKey: /^proj_[\w-]+$/, createdAt: TIME },
  },
  "/project/list": { broken: NO_PAGE, good: () => FIRST_PAGE },
  "/project/delete": { broken: missing("projectId"), good: () => ({ projectId: "project_1" }) },
  "/project/credential/create": {
    broken: { request: { scopes: ["read", "operator"] }, fields: ["scopes[1]"] },
    good: () => ({ name: "a reader", scopes: ["read", "validate"] }),
  },
  "/project/credential/list": { broken: NO_PAGE, good: () => FIRST_PAGE },
  "/project/credential/rotate": {
    broken: { request: { graceSeconds: -1 }, fields: ["credentialId", "graceSeconds"] },
    good: () => ({ credentialId: "credential_1", graceSeconds: 60 }),
  },
  "/project/credential/revoke": { broken: missing("credentialId"), good: () => ({ credentialId: "credential_1" }) },
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

/** Makes what the good requests name. */
export async function createWorld(service: TestService): Promise<World> {
  const { apiId } = await service.ok("/api/create", { name: "the first API" });
  const { consumerId } = await service.ok("/consumer/create", ROWS["/consumer/create"]?.good({} as World));
  // Of a consumer without a rate limit: a check takes a token of it, and the next protocol would be told of one less.
  const { key, keyId } = await createConsumerWithKey(service, {
    ...{ name: "Zoë", metadata: { plan: { seats: 2 } }, tags: ["one"] },
    credits: { limit: 10, refill: { every: "30d", refillCredit: 10 } },
  });
  const { consumerId: deletedConsumerId } = await service.ok("/consumer/create", {});
  await service.ok("/consumer/delete", { consumerId: deletedConsumerId });
  return { consumerId, deletedConsumerId, key, keyId, apiId };
}
