import { describe, expect, it, vi } from "vitest";
import { clientOf, json, problem, SECRET } from "../test/client-of.ts";
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  KeysvcClient,
  KeysvcError,
  TimeoutError,
  TransportError,
} from "./index.ts";

const VALID = { valid: true, code: "VALID", requestId: "req_1", credits: { limit: 10, remaining: 9 }, consumer: null };

describe("a method", () => {
  it("posts its request as JSON to its path, with the credential", async () => {
    const { client, sent } = clientOf(json({ consumerId: "consumer_1" }));
    expect(await client.consumer.create({ name: "Acme", credits: { limit: 5 } })).toEqual({ consumerId: "consumer_1" });
    expect(sent).toMatchObject([
      {
        url: "http://keysvc.test/consumer/create",
        headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
        body: { name: "Acme", credits: { limit: 5 } },
      },
    ]);
  });

  it("sends null, which clears, and leaves out undefined, which leaves alone", async () => {
    const { client, sent } = clientOf(json({}));
    await client.consumer.update({ consumerId: "consumer_1", planId: null, name: undefined });
    expect(sent[0]?.body).toEqual({ consumerId: "consumer_1", planId: null });
  });

  it("may be called without a request where no field is needed", async () => {
    const { client, sent } = clientOf(json({ consumers: [] }));
    await client.consumer.list();
    expect(sent[0]?.body).toEqual({});
  });

  it("throws what a problem says", async () => {
    const errors = [{ field: "name", message: "is too long" }];
    const { client } = clientOf(problem(429, { errors }, { "retry-after": "7" }));
    const error = await client.plan.create({ name: "x" }).catch((caught) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).not.toBeInstanceOf(AuthenticationError);
    const fields = { statusCode: 429, code: "a_code", requestId: "req_p", retryAfterSeconds: 7, fields: errors };
    expect(error).toMatchObject({ message: "no", ...fields });
  });

  it.each([401, 403])("throws an AuthenticationError for %i", async (status) => {
    await expect(clientOf(problem(status)).client.plan.list()).rejects.toBeInstanceOf(AuthenticationError);
  });

  it("shows nothing of an answer that is not the service's", async () => {
    const { client } = clientOf(new Response("<html>secret</html>", { status: 502 }));
    const error = await client.plan.list().catch((caught) => caught);
    expect(error).toMatchObject({ message: "The service answered with status 502.", statusCode: 502, code: "" });
  });

  it("is called once when nothing else is said, and again as often as the caller says where it changes nothing", async () => {
    const failures = [new Error("reset"), problem(503), json({ plans: [] })];
    const { client, sent } = clientOf(...failures);
    await expect(client.plan.list()).rejects.toBeInstanceOf(TransportError);
    expect(sent).toHaveLength(1);
    expect(await client.plan.list({}, { retries: 1 })).toEqual({ plans: [] });
    expect(sent).toHaveLength(3);
  });

  it("that changes something is never called again", async () => {
    const { client, sent } = clientOf(new Error("reset"));
    // The types would not let it pass.
    const options: object = { retries: 3 };
    await expect(client.plan.create({ name: "x" }, options)).rejects.toBeInstanceOf(TransportError);
    await expect(client.key.validate({ key: "k" }, options)).rejects.toBeInstanceOf(TransportError);
    expect(sent).toHaveLength(2);
  });

  it("ends with the caller's signal, and throws its reason", async () => {
    const { client } = clientOf("never");
    const reason = new Error("mine");
    await expect(client.plan.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const call = client.plan.list({}, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

describe("verify", () => {
  it("gives the verdict, of which a denial is one", async () => {
    const { client, sent } = clientOf(json(VALID), json({ valid: false, code: "RATE_LIMITED", retryAfterSeconds: 3 }));
    const result = await client.verify("sk_1", { apiId: "api_1" });
    expect(result).toMatchObject({ allowed: true, reason: "VALID", creditsRemaining: 9, creditsLimit: 10 });
    expect(sent[0]?.body).toEqual({ key: "sk_1", apiId: "api_1", credits: 1 });
    expect(await client.verify("sk_1", { credits: 0 })).toMatchObject({ allowed: false, retryAfterSeconds: 3 });
    expect(sent[1]?.body).toEqual({ key: "sk_1", credits: 0 });
  });

  it("asks once, whatever happens", async () => {
    for (const answer of [new Error("reset"), problem(503), new Response("", { status: 200 })]) {
      const { client, sent } = clientOf(answer);
      await expect(client.verify("sk_1")).rejects.toBeInstanceOf(KeysvcError);
      expect(sent).toHaveLength(1);
    }
  });

  it("ends after its time with a TimeoutError, which is a TransportError", async () => {
    const error = await clientOf("never")
      .client.verify("sk_1", { timeoutMs: 10 })
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(TransportError);
  });

  it("has an error without the key and the credential, also where the answer shows them", async () => {
    const answer = problem(500, {
      detail: `no ${SECRET} for sk_"quoted"_1`,
      errors: [{ field: "key", message: SECRET }],
    });
    const error = await clientOf(answer)
      .client.verify('sk_"quoted"_1')
      .catch((caught) => caught);
    expect([error.message, error.fields]).toEqual(["no *** for ***", [{ field: "key", message: "***" }]]);
  });

  it("ends after its time also with a fetch that does not heed the signal", async () => {
    const client = new KeysvcClient({ projectKey: SECRET, fetch: () => new Promise(() => undefined) });
    await expect(client.verify("sk_1", { timeoutMs: 10 })).rejects.toBeInstanceOf(TimeoutError);
  });

  it("takes nothing for a verdict that is more than a mebibyte", async () => {
    const large = json({ ...VALID, more: "x".repeat(1 << 20) });
    await expect(clientOf(large).client.verify("sk_1")).rejects.toThrow("too large");
  });
});

it("an event that is sent again has the id and the time that it got when it was taken in", async () => {
  vi.useFakeTimers();
  const { client, sent } = clientOf(problem(503), json({ accepted: 2, duplicates: 0, rejected: [] }));
  const event = { method: "GET", path: "/", statusCode: 200 };
  const takenIn = Date.now();
  client.ingest(event, { ...event, requestId: "mine", tsUnix: 1_700_000_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(sent).toHaveLength(2);
  expect(sent[1]?.body).toEqual(sent[0]?.body);
  const made = { ...event, requestId: expect.stringMatching(/^req_/), timestamp: takenIn };
  expect(sent[0]?.body).toEqual({ events: [made, { ...event, requestId: "mine", tsUnix: 1_700_000_000 }] });
});

describe("no error shows a credential or a key:", () => {
  it.each([new Error(`with ${SECRET}`), problem(500), "never", new Response("garbage")] as const)(
    "%s",
    async (answer) => {
      const { client } = clientOf(answer);
      const error = await client.verify("sk_secret", { timeoutMs: 10 }).catch((caught) => caught);
      expect(`${error.name} ${error.message} ${JSON.stringify(error)}`).not.toMatch(/nobody-sees|sk_secret/);
    },
  );

  it("variables that cannot be used, each named where no option is set", () => {
    vi.stubEnv("KEYSVC_PROJECT_KEY", undefined);
    vi.stubEnv("KEYSVC_ROOT_KEY", "with a break");
    vi.stubEnv("KEYSVC_BASE_URL", "http://user:pass@host");
    const make = () => new KeysvcClient({ projectKey: "", baseURL: "" });
    expect(make).toThrow(/configuration: KEYSVC_ROOT_KEY must be [^;]*; KEYSVC_BASE_URL must have no user[^;@]*$/);
    vi.unstubAllEnvs();
  });

  it("options that cannot be used", () => {
    vi.stubEnv("KEYSVC_PROJECT_KEY", undefined);
    const make = () => new KeysvcClient({ projectKey: "with a\nbreak", baseURL: "http://user:pass@host" });
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/break|pass@/);
    vi.unstubAllEnvs();
  });
});
