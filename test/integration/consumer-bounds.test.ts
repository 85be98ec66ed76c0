import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { startService, type TestService } from "../harness/service.ts";

let service: TestService;
let consumerId: string;
let unlimitedId: string;
beforeAll(async () => {
  service = await startService();
  ({ consumerId } = await service.ok("/consumer/create", { credits: { limit: 1 } }));
  ({ consumerId: unlimitedId } = await service.ok("/consumer/create", {}));
});
afterAll(() => service.close());

const MAX = 2 ** 53 - 1;
const REFILL = { every: "1d", refillCredit: 1 };
const withRefill = (more: object) => ({ credits: { limit: 1, refill: { ...REFILL, ...more } } });
/** Characters that look like more than they are: operators, markup, joined signs, a change of direction. */
const ODD_TEXT = "$$ROOT {$set:1} '\"\\;-- <b>&amp;\0\n\r\t\u0085\u2028\u202e🗝👨‍👩‍👧é\u0301ﷺ\uffff";

describe("a value at its bound is taken, by create and update alike, and shown as it was sent", () => {
  it.each<[string, object]>([
    ["the smallest rate limit", { rateLimit: { limit: 1, window: 1 } }],
    ["the largest rate limit", { rateLimit: { limit: 1_000_000_000, window: 86_400 } }],
    ["a pool of nothing", { credits: { limit: 0, shadowLimit: 0, expiresAt: 0 } }],
    ["the largest pool", { credits: { limit: MAX, shadowLimit: MAX, expiresAt: 8_640_000_000_000_000 } }],
    ["the largest overage", { credits: { limit: 0, overage: { enabled: true, limit: MAX } } }],
    ["no overage", { credits: { limit: MAX, overage: { enabled: true, limit: 0 } } }],
    ["a threshold above the pool", { credits: { limit: 1, shadowLimit: 1_000 } }],
    ["the largest refill", withRefill({ refillCredit: MAX, carryover: { enabled: true, max: MAX } })],
    ["the smallest refill", withRefill({ refillCredit: 0, carryover: { enabled: true, max: 0 } })],
    ["a name of 16,384 bytes", { name: "🗝".repeat(4_096) }],
    ["empty texts", { name: "", imageUrl: "", externalId: "", tags: [""] }],
    ["odd texts", { name: ODD_TEXT, imageUrl: ODD_TEXT, externalId: ODD_TEXT, tags: [ODD_TEXT, ODD_TEXT] }],
    ["texts that are names of fields", { name: "$name", imageUrl: "$$NOW", externalId: "null", tags: ["$tags"] }],
    [
      "1,000 tags of 256 characters",
      { tags: Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(256, "é")) },
    ],
    ["the longest imageUrl", { imageUrl: "i".repeat(8_192) }],
    ["the longest externalId", { externalId: "e".repeat(1_024) }],
    ["the first day", { expiresAt: "0001-01-01T00:00:00.000Z" }],
    ["the last day", { expiresAt: "9999-12-31T23:59:59.999Z" }],
  ])("%s", async (_title, fields) => {
    const made = await service.ok("/consumer/create", fields);
    expect(await service.ok("/consumer/details", { consumerId: made.consumerId })).toMatchObject(fields);
    await service.ok("/consumer/update", { consumerId, ...fields });
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject(fields);
  });
});

describe("a value beyond its bound is refused by name, by create and update alike", () => {
  const amounts = [-1, 0.5, MAX + 1, 1e30, "1", true, [], {}];
  const numbers: [string, (value: unknown) => object][] = [
    ["credits.limit", (limit) => ({ credits: { limit } })],
    ["credits.shadowLimit", (shadowLimit) => ({ credits: { limit: 1, shadowLimit } })],
    ["credits.overage.limit", (limit) => ({ credits: { limit: 1, overage: { enabled: true, limit } } })],
    ["credits.refill.refillCredit", (refillCredit) => withRefill({ refillCredit })],
    ["credits.refill.carryover.max", (max) => withRefill({ carryover: { enabled: true, max } })],
    ["credits.expiresAt", (expiresAt) => ({ credits: { limit: 1, expiresAt } })],
    ["rateLimit.limit", (limit) => ({ rateLimit: { limit } })],
    ["rateLimit.window", (window) => ({ rateLimit: { limit: 1, window } })],
  ];
  const texts: [string, (value: unknown) => object][] = [
    ...["name", "imageUrl", "externalId", "webhookUrl", "planId", "status", "expiresAt"].map(
      (field): [string, (value: unknown) => object] => [field, (value) => ({ [field]: value })],
    ),
    ["credits.refill.refillPolicy", (refillPolicy) => withRefill({ refillPolicy })],
    ["tags[1]", (value) => ({ tags: ["a", value] })],
  ];
  const flags: [string, (value: unknown) => object][] = [
    ["credits.overage.enabled", (enabled) => ({ credits: { limit: 1, overage: { enabled, limit: 1 } } })],
    ["credits.refill.carryover.enabled", (enabled) => withRefill({ carryover: { enabled, max: 1 } })],
  ];
  const objects: [string, (value: unknown) => object][] = [
    ["credits", (credits) => ({ credits })],
    ["credits.overage", (overage) => ({ credits: { limit: 1, overage } })],
    ["credits.refill", (refill) => ({ credits: { limit: 1, refill } })],
    ["credits.refill.carryover", (carryover) => withRefill({ carryover })],
    ["rateLimit", (rateLimit) => ({ rateLimit })],
    ["metadata", (metadata) => ({ metadata })],
  ];
  const cases = [
    ...numbers.flatMap(([field, make]) => amounts.map((value) => [field, make(value)] as const)),
    ...texts.flatMap(([field, make]) => [0, true, {}, ["a"]].map((value) => [field, make(value)] as const)),
    ...flags.flatMap(([field, make]) => [0, "true", {}, null].map((value) => [field, make(value)] as const)),
    ...objects.flatMap(([field, make]) => [0, "{}", [], true].map((value) => [field, make(value)] as const)),
    ["credits.expiresAt", { credits: { limit: 1, expiresAt: 8_640_000_000_000_001 } }],
    ["credits.used", { credits: { limit: 1, used: -1 } }],
    ["credits.remaining", { credits: { limit: 1, remaining: 1 } }],
    ["credits.overageUsed", { credits: { limit: 1, overageUsed: 1 } }],
    ["credits.refill.nextRefillAt", withRefill({ nextRefillAt: 1 })],
    ["credits.refill.every", { credits: { limit: 1, refill: { refillCredit: 1 } } }],
    ["credits.refill.every", withRefill({ every: null })],
    ["credits.refill.every", withRefill({ every: 7 })],
    ["credits.refill.refillCredit", { credits: { limit: 1, refill: { every: "1d" } } }],
    ["credits.refill.refillCredit", withRefill({ refillCredit: null })],
    ["credits.refill.refillPolicy", withRefill({ refillPolicy: "Reset" })],
    ["credits.refill.carryover.max", withRefill({ carryover: { enabled: true } })],
    ["rateLimit.limit", { rateLimit: {} }],
    ["rateLimit.limit", { rateLimit: { window: 60 } }],
    ["rateLimit.limit", { rateLimit: { limit: 0 } }],
    ["rateLimit.limit", { rateLimit: { limit: 1_000_000_001 } }],
    ["rateLimit.limit", { rateLimit: { limit: null } }],
    ["rateLimit.window", { rateLimit: { limit: 1, window: 0 } }],
    ["rateLimit.window", { rateLimit: { limit: 1, window: 86_401 } }],
    ["rateLimit.remaining", { rateLimit: { limit: 1, remaining: 1 } }],
    ["name", { name: "é".repeat(8_193) }],
    ["imageUrl", { imageUrl: "i".repeat(8_193) }],
    ["externalId", { externalId: "e".repeat(1_025) }],
    ["webhookUrl", { webhookUrl: `https://example.com/${"w".repeat(2_048)}` }],
    ...[
      ...["", "x", "//example.com", "https:example.com", "https://", " https://example.com", "https://example.com\n"],
      ...["https://exa mple.com", "https://example.com:99999/", "file:///etc/passwd", "javascript:alert(1)"],
      ...["http://user:secret@example.com/", "https://user@example.com"],
    ].map((webhookUrl) => ["webhookUrl", { webhookUrl }]),
    ["tags", { tags: Array(1_001).fill("t") }],
    ["tags", { tags: "a" }],
    ["tags[0]", { tags: [null] }],
    ["status", { status: "Active" }],
    ["status", { status: "" }],
    ["expiresAt", { expiresAt: "tomorrow" }],
    ["expiresAt", { expiresAt: "2026-02-30T00:00:00Z" }],
    ["projectKey", { projectKey: "x" }],
    ["createdAt", { createdAt: "2026-01-01T00:00:00Z" }],
    ["updateMask", { updateMask: "name" }],
    ["__proto__", JSON.parse('{"__proto__": {"name": "x"}}')],
    ["$set", { $set: { name: "x" } }],
    ["name.first", { "name.first": "x" }],
  ] as [string, object][];

  const titled = cases.map(([field, fields]) => [field, JSON.stringify(fields).slice(0, 80), fields] as const);
  it.each(titled)("%s: %s", async (field, _title, fields) => {
    const { updatedAt } = await service.ok("/consumer/details", { consumerId: unlimitedId });
    // Credits may say what is used on update alone.
    if (field !== "credits.used") {
      expectProblem(await service.call("/consumer/create", fields), 400, "invalid_argument", [field]);
    }
    const changed = await service.call("/consumer/update", { consumerId: unlimitedId, ...fields });
    expectProblem(changed, 400, "invalid_argument", [field]);
    expect((await service.ok("/consumer/details", { consumerId: unlimitedId })).updatedAt).toBe(updatedAt);
  });

  it("with all of its companions, each by its own name", async () => {
    const credits = { limit: -1, shadowLimit: "x", overage: { limit: 1 }, refill: { every: 1 }, bogus: 1 };
    const fields = { name: 5, tags: ["ok", 7], metadata: [], credits, rateLimit: { limit: 0, window: 0 }, bogus: 1 };
    const named = [
      ...["name", "tags[1]", "metadata", "bogus", "rateLimit.limit", "rateLimit.window", "credits.bogus"],
      ...["credits.limit", "credits.shadowLimit", "credits.overage.enabled"],
      ...["credits.refill.every", "credits.refill.refillCredit"],
    ];
    expectProblem(await service.call("/consumer/create", fields), 400, "invalid_argument", named);
  });
});

describe("an id", () => {
  it.each(["consumer_", "consumer_none", "x", "\0", "$ne", "i".repeat(1_000), "🗝", "__proto__"])(
    "%j of nobody is 404, not 400",
    async (unknown) => {
      for (const name of ["details", "keys", "update", "delete"]) {
        expectProblem(await service.call(`/consumer/${name}`, { consumerId: unknown }), 404, "not_found");
      }
      expectProblem(await service.call("/consumer/create", { planId: unknown }), 404, "not_found");
      expectProblem(await service.call("/consumer/update", { consumerId, planId: unknown }), 404, "not_found");
      expect((await service.ok("/consumer/list", { planId: unknown })).filtered).toBe(0);
    },
  );

  it.each([[{}], [{ consumerId: null }], [{ consumerId: "" }], [{ consumerId: 5 }], [{ consumerId: ["a"] }]])(
    "%j is no id, and 400",
    async (request) => {
      for (const name of ["details", "keys", "update", "delete"]) {
        expectProblem(await service.call(`/consumer/${name}`, request), 400, "invalid_argument", ["consumerId"]);
      }
    },
  );
});
