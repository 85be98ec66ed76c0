import {
  create,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { credentials, Client as GrpcClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ConsumerService,
  type ConsumerServiceUpdateRequestSchema,
  ConsumerStatus,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

type Update = Omit<MessageInitShape<typeof ConsumerServiceUpdateRequestSchema>, "$typeName" | "$unknown">;

let service: TestService;
let grpc: GrpcClient;
beforeAll(async () => {
  service = await startService();
  grpc = new GrpcClient(service.grpcAddress, credentials.createInsecure());
});
afterAll(async () => {
  grpc.close();
  await service.close();
});

/** Calls a method by grpc-js, with a message that no JSON stands behind. */
function call<Method extends DescMethodUnary>(
  method: Method,
  request: MessageInitShape<Method["input"]>,
): Promise<MessageShape<Method["output"]>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const metadata = Metadata.fromHttp2Headers({ authorization: `Bearer ${PROJECT_KEY}` });
  return new Promise((resolve, reject) => {
    grpc.makeUnaryRequest(
      path,
      (message: MessageShape<Method["input"]>) => Buffer.from(toBinary(method.input, message)),
      // The cast holds by the descriptor.
      (bytes) => fromBinary(method.output, bytes) as MessageShape<Method["output"]>,
      create(method.input, request) as MessageShape<Method["input"]>,
      metadata,
      (error, message) => (message === undefined ? reject(error) : resolve(message)),
    );
  });
}

const change = (consumerId: string, fields: Update, paths?: string[]) =>
  call(ConsumerService.method.update, { consumerId, ...fields, ...(paths && { updateMask: { paths } }) });
const details = (consumerId: string) => service.ok("/consumer/details", { consumerId });

const FULL = {
  ...{ name: "a", imageUrl: "i", externalId: "e", webhookUrl: "https://example.com/", tags: ["t"], metadata: { m: 1 } },
  ...{ expiresAt: "2040-01-01T00:00:00.000Z", rateLimit: { limit: 2, window: 60 } },
  credits: {
    ...{ limit: 10, shadowLimit: 8, overage: { enabled: true, limit: 4 }, expiresAt: 4_000_000_000_000 },
    refill: { every: "7d", refillCredit: 2, refillPolicy: "add", carryover: { enabled: true, max: 1 } },
  },
};

/** A consumer that has everything, 6 of its credits used. */
async function createFull(): Promise<string> {
  const { consumerId } = await service.ok("/consumer/create", FULL);
  await service.ok("/consumer/update", { consumerId, credits: { used: 6 } });
  return consumerId;
}

const NEW_REFILL = { every: "7d", refillCredit: 5n };
const NO_CREDITS_BUT = { shadowLimit: null, overage: null, refill: null, expiresAt: null, overageUsed: 0 };

describe("an update over gRPC", () => {
  // The mask, the message, what becomes of the consumer, and what of its credits where they stay.
  it.each<[string[] | undefined, Update, object, object]>([
    [["name"], {}, { name: null }, {}],
    [["name"], { name: "" }, { name: "" }, {}],
    [["name"], { name: "b", externalId: "not in the mask", tags: ["x"] }, { name: "b" }, {}],
    [["name", "name"], { name: "b" }, { name: "b" }, {}],
    [["image_url", "external_id", "webhook_url"], {}, { imageUrl: null, externalId: null, webhookUrl: null }, {}],
    [["plan_id", "expires_at"], {}, { planId: null, expiresAt: null }, {}],
    [["expires_at"], { expiresAt: { seconds: 0n } }, { expiresAt: "1970-01-01T00:00:00.000Z" }, {}],
    [["tags"], {}, { tags: [] }, {}],
    [["tags"], { tags: ["x", "y"] }, { tags: ["x", "y"] }, {}],
    [["metadata"], {}, { metadata: {} }, {}],
    [["metadata"], { metadata: { other: [2] } }, { metadata: { other: [2] } }, {}],
    [["rate_limit"], {}, { rateLimit: null }, {}],
    [["rate_limit"], { rateLimit: { limit: 7n } }, { rateLimit: { limit: 7, window: 1 } }, {}],
    [["status"], { status: ConsumerStatus.DISABLED }, { status: "disabled" }, {}],
    [["credits"], {}, { credits: null }, {}],
    [["credits"], { credits: { limit: 9n } }, {}, { limit: 9, used: 0, remaining: 9, ...NO_CREDITS_BUT }],
    [["credits"], { credits: { limit: 9n, used: 2n } }, {}, { limit: 9, used: 2, remaining: 7, ...NO_CREDITS_BUT }],
    [["credits.limit"], { credits: { limit: 9n, used: 1n } }, {}, { limit: 9, remaining: 3 }],
    [["credits.used"], { credits: { limit: 99n, used: 1n } }, {}, { used: 1, remaining: 9 }],
    [["credits.used"], { credits: {} }, {}, { used: 0, remaining: 10 }],
    [["credits.used"], {}, {}, { used: 0, remaining: 10 }],
    [["credits.shadow_limit", "credits.overage"], {}, {}, { shadowLimit: null, overage: null }],
    [["credits.expires_at", "name"], { name: "b" }, { name: "b" }, { expiresAt: null }],
    [["credits.refill"], {}, {}, { refill: null }],
    [
      ["credits.refill"],
      { credits: { refill: NEW_REFILL } },
      {},
      {
        refill: {
          every: "7d",
          refillCredit: 5,
          refillPolicy: "reset",
          carryover: null,
          nextRefillAt: expect.any(Number),
        },
      },
    ],
    [[], { name: "b" }, { name: "b" }, {}],
    [undefined, { name: "b", credits: { used: 1n } }, { name: "b" }, { used: 1, remaining: 9 }],
    [undefined, { tags: [], credits: {} }, {}, {}],
    [undefined, {}, {}, {}],
  ])("by the mask %j, of %o", async (paths, fields, expected, expectedCredits) => {
    const consumerId = await createFull();
    const { updatedAt: _before, credits, ...before } = await details(consumerId);
    const { keysRestored } = await change(consumerId, fields, paths);
    const { updatedAt: _after, ...after } = await details(consumerId);
    expect(after).toEqual({ ...before, credits: { ...credits, ...expectedCredits }, ...expected });
    expect(keysRestored).toBe(0);
  });

  it.each<[string[], Update, string]>([
    ...[
      ...["bogus", "", "*", "name.first", "consumer_id", "update_mask", "project_key", "created_at", "keys_restored"],
      ...["externalId", "rate_limit.limit", "rate_limit.window", "metadata.m", "tags.0", "tags[0]", "__proto__"],
      ...["credits.remaining", "credits.overage_used", "credits.bogus", "credits.", "credits.overage.limit"],
      ...["credits.refill.every", "credits.refill.refill_credit", "credits.refill.carryover", "credits.carryover.max"],
    ].map((path): [string[], Update, string] => [[path], {}, "updateMask"]),
    [["name", "bogus"], { name: "b" }, "updateMask"],
    [["status"], {}, "status"],
    [["status"], { status: ConsumerStatus.DELETED }, "status"],
    // No value of the enum.
    [["status"], { status: 99 as ConsumerStatus }, "status"],
    [["credits.limit"], { credits: { used: 1n } }, "credits.limit"],
    [["credits"], { credits: { used: 1n } }, "credits.limit"],
    [["credits.refill"], { credits: { refill: { every: "1d" } } }, "credits.refill.refillCredit"],
    [["credits.used"], { credits: { used: -1n } }, "credits.used"],
    [["credits.used"], { credits: { used: 2n ** 53n } }, "credits.used"],
    [["rate_limit"], { rateLimit: {} }, "rateLimit.limit"],
    [["rate_limit"], { rateLimit: { limit: 1n, window: 0 } }, "rateLimit.window"],
    [["metadata"], { metadata: { "a\0": 1 } }, "metadata"],
    [["metadata"], { metadata: { a: [Number.NaN] } }, "metadata"],
    [["metadata"], { metadata: { a: Number.NEGATIVE_INFINITY } }, "metadata"],
    [["expires_at"], { expiresAt: { seconds: 2n ** 62n } }, "expiresAt"],
    [["name"], { name: "x".repeat(16_385) }, "name"],
  ])("by the mask %j is refused, and changes nothing", async (paths, fields, field) => {
    const consumerId = await createFull();
    const before = await details(consumerId);
    const refused = (await change(consumerId, fields, paths).then(
      () => undefined,
      (error) => error,
    )) as ServiceError | undefined;
    expect(refused?.code, refused?.details).toBe(3);
    expect(refused?.details).toContain(`${field}: `);
    expect(await details(consumerId)).toEqual(before);
  });
});
