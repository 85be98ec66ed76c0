import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** As many as the hash has. */
const SECRET_BYTES = 32;

/** A new signing secret, as Standard Webhooks writes it. */
export function createSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** What is signed. */
export interface Signed {
  eventId: string;
  /** Of the attempt, epoch seconds. */
  timestamp: number;
  body: string;
}

/**
 * The headers by which a receiver knows who sent it, when, and that it is whole (Standard Webhooks).
 *
 * @param secrets those that are valid: it is signed with each
 */
export function signatureHeaders({ eventId, timestamp, body }: Signed, secrets: readonly string[]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
