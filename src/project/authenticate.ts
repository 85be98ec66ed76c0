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

interface Remembered {
  freshUntilMs: number;
  caller: Caller;
}

/** Finds who a credential belongs to; undefined: nobody. It answers at once what it remembers. */
export type Authenticate = (credential: string) => Caller | undefined | Promise<Caller | undefined>;

/**
 * Finds who a credential belongs to. Look-ups are by HMAC, so that nothing can be learnt from their time; the answer is
 * remembered for a moment, and callers who ask at once share one look-up. Rejects when the database is out of reach.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keyring, adminKey, findCredential, monotonicMs } = options;
  const adminHash = keyring.hashCredential(adminKey);
  const cache = new Map<string, Cached>();
  /** By the credential itself, because the hash costs more than all else here. Only those that are right get in. */
  const callers = new Map<string, Remembered>();

  function lookUp(hash: Buffer): Cached {
    const id = hash.toString("latin1");
    const nowMs = monotonicMs();
    const cached = cache.get(id);
    if (cached !== undefined && cached.freshUntilMs > nowMs) return cached;
    if (cache.size >= CACHED_MAX) cache.clear();
    const found = findCredential(hash);
    const entry = { freshUntilMs: nowMs + FRESH_MS, found };
    cache.set(id, entry);
    // A failure is not remembered.
    found.catch(() => cache.delete(id));
    return entry;
  }

  function remember(caller: Caller, freshUntilMs: number): Caller {
    if (callers.size >= CACHED_MAX) callers.clear();
    callers.set(caller.credential, { freshUntilMs, caller });
    return caller;
  }

  async function authenticate(credential: string): Promise<Caller | undefined> {
    const hash = keyring.hashCredential(credential);
    if (timingSafeEqual(hash, adminHash)) {
      return { projectId: "", credentialId: OPERATOR, scopes: new Set(["operator"]), credential };
    }
    const { found, freshUntilMs } = lookUp(hash);
    const known = await found;
    if (known === undefined) return undefined;
    const { projectId, _id, scopes } = known;
    return remember({ projectId, credentialId: _id, scopes: new Set(scopes), credential }, freshUntilMs);
  }

  return (credential) => {
    const remembered = callers.get(credential);
    return remembered !== undefined && remembered.freshUntilMs > monotonicMs()
      ? remembered.caller
      : authenticate(credential);
  };
}
