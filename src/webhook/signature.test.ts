import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { createSigningSecret, signatureHeaders } from "./signature.ts";

const BODY = JSON.stringify({ type: "key.created", timestamp: "2026-01-01T00:00:00.000Z", data: { name: "Zoë" } });
const signed = (body = BODY) => ({ eventId: "evt_1", timestamp: Math.floor(Date.now() / 1_000), body });

describe("a signed event", () => {
  it("is verified by the public library with either of two valid secrets, and by no other", () => {
    const secrets = [createSigningSecret(), createSigningSecret()];
    const headers = signatureHeaders(signed(), secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(createSigningSecret()).verify(BODY, headers)).toThrow("No matching signature");
  });

  it("is refused when its body, its id or its time was changed", () => {
    const secret = createSigningSecret();
    const headers = signatureHeaders(signed(), [secret]);
    const webhook = new Webhook(secret);
    expect(() => webhook.verify(`${BODY} `, headers)).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, "webhook-id": "evt_2" })).toThrow();
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(() => webhook.verify(BODY, { ...headers, "webhook-timestamp": later })).toThrow();
  });

  it("has a secret in the form of Standard Webhooks: whsec_ and 32 bytes in base64", () => {
    const secret = createSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(createSigningSecret()).not.toBe(secret);
  });
});
