import { createHash } from "node:crypto";
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { document } from "../../gen/openapi.js";
import { createWorld, type World } from "../conformance/world.ts";
import { ADMIN_KEY, createConsumerWithKey, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { LOCAL_RECEIVERS, type Receiver, startReceiver } from "../harness/webhook-receiver.ts";

let service: TestService;
let receiver: Receiver;
let world: World;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ KEYSVC_HOST: "127.0.0.1", ...LOCAL_RECEIVERS });
  world = await createWorld(service, receiver);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

describe("GET /docs", () => {
  it("shows the reference to everybody, under a policy that lets it run what is in it and nothing else", async () => {
    const response = await fetch(`${service.url}/docs`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const text = await response.text();
    for (const path of Object.keys(document.paths)) expect(text).toContain(path);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const inline = [...text.matchAll(/<(script|style)>(.*?)<\/\1>/gs)];
    expect(inline).toHaveLength(2);
    for (const [, kind, content = ""] of inline) {
      const hash = createHash("sha256").update(content).digest("base64");
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("is the same for all: no credential, id or address of this service is in it", async () => {
    const text = await (await fetch(`${service.url}/docs`)).text();
    for (const secret of [PROJECT_KEY, ADMIN_KEY, String(service.app.port)]) expect(text).not.toContain(secret);
  });

  it.each(["/docs", "/openapi.json"])("sends %s once, and then only that it did not change", async (path) => {
    const first = await fetch(`${service.url}${path}`);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    for (const known of [etag, `"other", W/${etag}`, "*"]) {
      const again = await fetch(`${service.url}${path}`, { headers: { "if-none-match": known } });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const changed = await fetch(`${service.url}${path}`, { headers: { "if-none-match": '"other"' } });
    expect(changed.status).toBe(200);
    const head = await fetch(`${service.url}${path}`, { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    expect(Number(head.headers.get("content-length"))).toBe(Buffer.byteLength(await first.text()));
  });

  it("takes no other method", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status } = await fetch(`${service.url}/docs`, { method });
      expect(status).toBe(405);
    }
  });

  it("is served over HTTP/2 too", async () => {
    const session = connect(service.url);
    const stream = session.request({ ":path": "/docs" });
    const status = await new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])));
    stream.close();
    session.close();
    expect(status).toBe(200);
  });
});

describe("GET /openapi.json", () => {
  it("gives the document of gen/openapi.yaml", async () => {
    expect(await (await fetch(`${service.url}/openapi.json`)).json()).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it("names the very service that it is read from as the server, whatever its address", async () => {
    const address = `${service.url}/openapi.json`;
    // The test above says that it is the document.
    const { servers } = (await (await fetch(address)).json()) as typeof document;
    expect(servers.map(({ url }) => new URL(url, address).href)).toEqual([`${service.url}/`]);
  });
});

describe("what is marked as required of an event", () => {
  it("is what the service rejects one without, beside an endpoint or a path", async () => {
    const { required = [] } = document.components.schemas.TrafficEventInput ?? {};
    const whole: Record<string, unknown> = { method: "GET", statusCode: 200 };
    expect(required.toSorted()).toEqual(Object.keys(whole).sort());
    const events = [
      ...required.map((field) => ({ ...whole, path: "/", [field]: null })),
      whole,
      { ...whole, path: "/" },
    ];
    const { accepted, rejected } = await service.ok("/ingest", { events });
    expect(accepted).toBe(1);
    const messages = rejected.map(({ message }: { message: string }) => message);
    const expected = [...required.map((field) => `${field}: is required`), "endpoint: is required, or path"];
    expect(messages).toEqual(expected);
  });
});

describe("the example of every operation", () => {
  /** An example with ids that are there in place of those that stand for them. */
  async function withIds(path: string, example: unknown): Promise<object> {
    const { projectId } = await service.ok("/project/create", { name: "for one call" }, ADMIN_KEY);
    const { credentialId } = await service.ok("/project/credential/create", { name: "for one call" });
    const { consumerId, keyId, key } = await createConsumerWithKey(service);
    const ids = {
      ...world,
      consumerId,
      keyId,
      key,
      projectId,
      credentialId,
      ...world.recorded,
      eventId: world.told.eventId,
    };
    const replaced = JSON.stringify(example, (name, value) =>
      path !== "/ingest" && name in ids && typeof value === "string" ? Reflect.get(ids, name) : value,
    );
    return JSON.parse(replaced);
  }

  // What ends something comes last.
  const ends = (path: string) => (/delete|revoke/.test(path) ? 1 : 0);
  const operations = Object.entries(document.paths).sort(([a], [b]) => ends(a) - ends(b));

  it.each(operations)("%s is answered with 200, and says its age where it is told to", async (path, { post }) => {
    const { example } = post.requestBody.content["application/json"] ?? {};
    const body = JSON.stringify(await withIds(path, example));
    const credential = post.description.includes("`operator`") ? ADMIN_KEY : PROJECT_KEY;
    const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
    const response = await fetch(`${service.url}${path}`, { method: "POST", headers, body });
    // What is followed has no end.
    const text = path.endsWith("/tail") ? await response.body?.cancel() : await response.text();
    expect([response.status, text]).toEqual([200, text]);
    expect(response.headers.has("age")).toBe("Age" in (post.responses["200"]?.headers ?? {}));
  });
});
