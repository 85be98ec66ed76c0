import { timingSafeEqual } from "node:crypto";
import { type Caller, OPERATOR } from "../lib/call.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Credential } from "./project.ts";

export interface AuthenticatorOptions {
  keyring: Keyring;
  /** The operator's credential. */
  adminKey: string;
  findCredential: (hash: Buffer) => Promise<Credential | undefined>;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** A revoked credential stops within 200 ms on every node; the rest is for the look-up itself. */
const FRESH_MS = 150;
const CACHED_MAX = 10_000;

interface Cached {
  freshUntilMs: number;
  found: Promise<Credential | undefined>;
}

/**
 * Finds who a credential belongs to. Look-ups are by HMAC, so that nothing can be learnt from their time; the answer is
 * remembered for a moment, and callers who ask at once share one look-up. Rejects when the database is out of reach.
 */
export function createAuthenticator({ keyring, adminKey, findCredential, monotonicMs }: AuthenticatorOptions) {
  const adminHash = keyring.hashCredential(adminKey);
  const cache = new Map<string, Cached>();

  function lookUp(hash: Buffer): Promise<Credential | undefined> {
    const id = hash.toString("latin1");
    const nowMs = monotonicMs();
    const cached = cache.get(id);
    if (cached !== undefined && cached.freshUntilMs > nowMs) return cached.found;
    if (cache.size >= CACHED_MAX) cache.clear();
    const found = findCredential(hash);
    cache.set(id, { freshUntilMs: nowMs + FRESH_MS, found });
    // A failure is not remembered.
    found.catch(() => cache.delete(id));
    return found;
  }

  return async (credential: string): Promise<Caller | undefined> => {
    const hash = keyring.hashCredential(credential);
    if (timingSafeEqual(hash, adminHash)) {
      return { projectId: "", credentialId: OPERATOR, scopes: new Set(["operator"]), credential };
    }
    const found = await lookUp(hash);
    return found && { projectId: found.projectId, credentialId: found._id, scopes: new Set(found.scopes), credential };
  };
}
