import { randomBytes } from "node:crypto";
import { ADMIN_KEY, type TestService } from "../harness/service.ts";
import { EVENT_ROWS } from "./event-rows.ts";
import { FIRST_PAGE, LONG_TEXT, missing, NO_PAGE, type Row, TIME } from "./row.ts";
import type { World } from "./world.ts";

const CREDENTIAL = {
  credentialId: /^credential_\w+$/,
  createdAt: TIME,
  projectKey: /^proj_[\w-]{43}$/,
  lastSix: /^[\w-]{6}$/,
};

async function freshCredential({ ok }: TestService): Promise<{ credentialId: string }> {
  const { credentialId } = await ok("/project/credential/create", { name: "for one call" });
  return { credentialId };
}

async function freshKey({ ok }: TestService, { consumerId }: World): Promise<{ keyId: string }> {
  const { keyId } = await ok("/key/create", { consumerId, name: "for one call" });
  return { keyId };
}

/** Every method by its path. */
export const ROWS: Record<string, Row> = {
  ...EVENT_ROWS,
  "/api/create": {
    broken: { request: { name: LONG_TEXT }, fields: ["name"] },
    good: () => ({ name: "an API of many names" }),
    volatile: { apiId: /^api_\w+$/, createdAt: TIME, updatedAt: TIME },
  },
  "/api/update": {
    broken: { request: { name: "" }, fields: ["apiId", "name"] },
    good: ({ apiId }) => ({ apiId, name: "another" }),
    volatile: { updatedAt: TIME },
  },
  "/api/details": { broken: missing("apiId"), good: ({ apiId }) => ({ apiId }), volatile: {} },
  "/api/list": { broken: NO_PAGE, good: () => FIRST_PAGE, volatile: {} },
  "/api/delete": {
    broken: missing("apiId"),
    good: ({ apiId }) => ({ apiId }),
    fresh: async ({ ok }) => ({ apiId: (await ok("/api/create", { name: "to delete" })).apiId }),
    volatile: { apiId: /^api_\w+$/ },
  },
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
  "/consumer/list": {
    broken: NO_PAGE,
    good: () => ({ ...FIRST_PAGE, sortBy: "creditsUsed", sortOrder: "desc" }),
    volatile: {},
  },
  "/consumer/keys": { broken: missing("consumerId"), good: ({ consumerId }) => ({ consumerId }), volatile: {} },
  "/consumer/delete": {
    broken: { request: { permanent: true }, fields: ["consumerId"] },
    good: ({ deletedConsumerId }) => ({ consumerId: deletedConsumerId, permanent: false }),
    volatile: {},
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
    good: ({ keyId, apiId }) => ({ keyId, name: "changed", enabled: true, expiresAt: null, allowedApis: ["*", apiId] }),
    volatile: { updatedAt: TIME },
  },
  "/key/details": { broken: missing("keyId"), good: ({ keyId }) => ({ keyId }), volatile: {} },
  "/key/list": { broken: NO_PAGE, good: ({ consumerId }) => ({ ...FIRST_PAGE, consumerId }), volatile: {} },
  "/key/rotate": {
    broken: { request: { graceSeconds: 31_536_001 }, fields: ["keyId", "graceSeconds"] },
    good: ({ keyId }) => ({ keyId, graceSeconds: 60 }),
    fresh: async (service, world) => ({ ...(await freshKey(service, world)), graceSeconds: 60 }),
    volatile: { keyId: /^key_\w+$/, key: /^sk_\w{33}$/, previousValidUntil: TIME },
  },
  "/key/delete": {
    broken: missing("keyId"),
    good: ({ keyId }) => ({ keyId }),
    fresh: freshKey,
    volatile: { keyId: /^key_\w+$/ },
  },
  "/key/import": {
    broken: { request: { keys: [] }, fields: ["consumerId", "keys"] },
    good: ({ consumerId }) => ({ consumerId, keys: [{ sha256: "a".repeat(64), name: "imported" }] }),
    fresh: async (_service, { consumerId }) => {
      const sha256 = randomBytes(32).toString("hex");
      return { consumerId, keys: [{ sha256, name: "imported", expiresAt: "2030-01-31T12:00:00Z" }] };
    },
    volatile: { "keys.0.keyId": /^key_\w+$/ },
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
    good: ({ key }) => ({
      requests: [
        { key, credits: 0 },
        { key: "garbage", credits: 0 },
      ],
    }),
    volatile: { "results.0.requestId": /^req_\w+\.0$/, "results.1.requestId": /^req_\w+\.1$/ },
  },
  "/plan/create": {
    broken: {
      request: { credits: {}, rateLimit: { window: 0 } },
      fields: ["name", "credits.limit", "rateLimit.limit", "rateLimit.window"],
    },
    good: () => ({
      name: "a plan",
      credits: { limit: 10, refill: { every: "1h", refillCredit: 2, carryover: { enabled: true, max: 3 } } },
      rateLimit: { limit: 1, window: 60 },
    }),
    volatile: { planId: /^plan_\w+$/, createdAt: TIME, updatedAt: TIME },
  },
  "/plan/update": {
    broken: { request: { name: "", applyToConsumers: true }, fields: ["planId", "name"] },
    good: ({ planId }) => ({ planId, name: "renamed", applyToConsumers: true, rateLimit: null }),
    volatile: { updatedAt: TIME },
  },
  "/plan/details": { broken: missing("planId"), good: ({ planId }) => ({ planId }), volatile: {} },
  "/plan/list": { broken: NO_PAGE, good: () => FIRST_PAGE, volatile: {} },
  "/plan/delete": {
    broken: missing("planId"),
    good: ({ planId }) => ({ planId }),
    fresh: async ({ ok }) => ({ planId: (await ok("/plan/create", { name: "to be deleted" })).planId }),
    volatile: { planId: /^plan_\w+$/ },
  },
  "/project/create": {
    broken: missing("name"),
    good: () => ({ name: "a project" }),
    volatile: { projectId: /^project_\w+$/, projectKey: /^proj_[\w-]+$/, createdAt: TIME },
  },
  "/project/list": { broken: NO_PAGE, good: () => FIRST_PAGE, volatile: {} },
  "/project/delete": {
    broken: missing("projectId"),
    good: () => ({ projectId: "project_1" }),
    fresh: async ({ ok }) => {
      const { projectId } = await ok("/project/create", { name: "to delete" }, ADMIN_KEY);
      return { projectId };
    },
    volatile: { projectId: /^project_\w+$/ },
  },
  "/project/credential/create": {
    broken: { request: { scopes: ["read", "operator"] }, fields: ["scopes[1]"] },
    good: () => ({ name: "a reader", scopes: ["validate", "read"] }),
    volatile: CREDENTIAL,
  },
  "/project/credential/list": { broken: NO_PAGE, good: () => FIRST_PAGE, volatile: {} },
  "/project/credential/rotate": {
    broken: { request: { graceSeconds: -1 }, fields: ["credentialId", "graceSeconds"] },
    good: () => ({ credentialId: "credential_1", graceSeconds: 60 }),
    fresh: async (service) => ({ ...(await freshCredential(service)), graceSeconds: 60 }),
    volatile: { ...CREDENTIAL, previousValidUntil: TIME },
  },
  "/project/credential/revoke": {
    broken: missing("credentialId"),
    good: () => ({ credentialId: "credential_1" }),
    fresh: freshCredential,
    volatile: { credentialId: CREDENTIAL.credentialId },
  },
};
