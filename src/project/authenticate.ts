import { timingSafeEqual } from "node:crypto";
import { type Caller, OPERATOR } from "../lib/call.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { LookUpLane, type LookUpLaneOptions } from "./look-up-lane.ts";
import type { Credential } from "./project.ts";
import { BATCH_MAX, createSparePace, measureBusyShare } from "./spare-pace.ts";

export interface AuthenticatorOptions {
  store: Pick<LookUpLaneOptions, "findCredentials">;
  keyring: Keyring;
  /** The operator's credential. */
  adminKey: string;
  /** How many strangers are looked up at once; asked before each time. Absent: as many as the thread has time for. */
  strangersPace?: () => number;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** A revoked credential stops within 200 ms on every node; the rest is for the look-up itself. */
const FRESH_MS = 150;
/** Callers that are remembered. Whoever is beyond them is a stranger again. */
const CALLERS_MAX = 10_000;
/** Wrong credentials that are remembered, for clients that send the same one all the time. */
const REFUSED_MAX = 1_000;
/** No credential is longer (see KEYSVC_PROJECT_KEY). */
const CREDENTIAL_MAX_CHARS = 256;
/** Strangers who have waited for longer are refused: their callers would give up soon, and those behind them too. */
const STRANGERS_WAIT_MAX_MS = 1_500;
/** Strangers that wait to be looked up. */
const STRANGERS_MAX = 5_000;
/** While many guess, the database is asked at most a hundred times a second on their behalf; one alone waits for each answer. */
const STRANGERS_PAUSE_MS = 10;

interface Remembered {
  freshUntilMs: number;
  caller: Caller;
}

/** Finds who a credential belongs to; undefined: nobody. It answers at once what it remembers. */
export type Authenticate = (credential: string) => Caller | undefined | Promise<Caller | undefined>;

/**
 * Finds who a credential belongs to. Look-ups are by HMAC, so that nothing can be learnt from their time; the answer is
 * remembered for a moment. Credentials that were right before are looked up apart from all others, so that whoever guesses
 * never stands before those who know. There is no limit by address, which would shut out whoever shares one with a guesser.
 * Rejects when the database is out of reach, and for strangers, with TOO_MANY_REQUESTS, when too many of them wait, or one for too long.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keyring, adminKey, store, monotonicMs } = options;
  const strangersPace = options.strangersPace ?? createSparePace(measureBusyShare());
  const adminHash = keyring.hashCredential(adminKey);
  /** By the credential itself, because the hash costs more than all else here; the longest unused first. */
  const callers = new Map<string, Remembered>();
  /** Until when a wrong credential is remembered as one. */
  const refused = new Map<string, number>();
  const lane = { findCredentials: store.findCredentials, monotonicMs, batchMax: () => BATCH_MAX, sharedMs: FRESH_MS };
  // They wait for as long as any call does for the database.
  const unbounded = { waitingMax: Number.POSITIVE_INFINITY, waitMaxMs: Number.POSITIVE_INFINITY };
  const known = new LookUpLane({ ...lane, ...unbounded, pauseMs: 0 });
  const strangers = new LookUpLane({
    ...lane,
    waitingMax: STRANGERS_MAX,
    waitMaxMs: STRANGERS_WAIT_MAX_MS,
    pauseMs: STRANGERS_PAUSE_MS,
    batchMax: strangersPace,
  });

  function remember(found: Credential, credential: string, freshUntilMs: number): Caller {
    const { projectId, _id, scopes } = found;
    const caller = { projectId, credentialId: _id, scopes: new Set(scopes), credential };
    callers.delete(credential);
    callers.set(credential, { freshUntilMs, caller });
    if (callers.size > CALLERS_MAX) deleteFirst(callers);
    return caller;
  }

  function refuse(credential: string, untilMs: number): undefined {
    callers.delete(credential);
    refused.delete(credential);
    refused.set(credential, untilMs);
    if (refused.size > REFUSED_MAX) deleteFirst(refused);
  }

  async function lookUp(credential: string): Promise<Caller | undefined> {
    const hash = keyring.hashCredential(credential);
    if (timingSafeEqual(hash, adminHash)) {
      return { projectId: "", credentialId: OPERATOR, scopes: new Set(["operator"]), credential };
    }
    const { credential: found, askedMs } = await (callers.has(credential) ? known : strangers).find(hash);
    // From its start, not from its end: what is revoked meanwhile may have been found before.
    const freshUntilMs = askedMs + FRESH_MS;
    return found === undefined ? refuse(credential, freshUntilMs) : remember(found, credential, freshUntilMs);
  }

  return (credential) => {
    const remembered = callers.get(credential);
    if (remembered === undefined) {
      const isRefused = credential.length > CREDENTIAL_MAX_CHARS || (refused.get(credential) ?? 0) > monotonicMs();
      return isRefused ? undefined : lookUp(credential);
    }
    return remembered.freshUntilMs > monotonicMs() ? remembered.caller : lookUp(credential);
  };
}

function deleteFirst(map: Map<string, unknown>): void {
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}
