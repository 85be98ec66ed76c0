import type { Binary } from "mongodb";
import type { Scope } from "../../gen/gateway.js";
import { createId } from "../lib/id.ts";

/** A project as it is stored, in the collection `projects`. It owns everything else. */
export interface Project {
  _id: string;
  name: string;
  createdAt: Date;
  /** When it was deleted: since then nobody gets in, and it is emptied; null while it is not. */
  deletedAt: Date | null;
  /** Goes up with every change of its credentials, which take the project one after another. */
  revision: number;
}

/** A credential of a project as it is stored, in the collection `credentials`: of its values, only the HMACs. */
export interface Credential {
  _id: string;
  projectId: string;
  name: string | null;
  hash: Binary | Buffer;
  /** The end of the value, for recognising it. */
  lastSix: string;
  /** Values that were rotated away, each good until its own grace ends, oldest first. Those that have ended mean nothing. */
  previous: PreviousValue[];
  scopes: Scope[];
  createdAt: Date;
}

interface PreviousValue {
  hash: Binary | Buffer;
  validUntil: Date;
}

/** What is stored of a credential's value. */
export type StoredValue = Pick<Credential, "hash" | "lastSix">;

/** Every scope that a project credential can have, and what it has by default. */
export const PROJECT_SCOPES: readonly Scope[] = ["manage", "read", "validate", "ingest"];

/** The project that exists from the first start. */
export const DEFAULT_PROJECT = "default";

/** Values of one credential that are in grace at the same time. */
export const PREVIOUS_MAX = 20;

export function newProject(name: string, nowMs: number): Project {
  return { _id: createId("project", nowMs), name, createdAt: new Date(nowMs), deletedAt: null, revision: 1 };
}

/** @param scopes none: every scope */
export function newCredential(
  projectId: string,
  { name, scopes }: Pick<Credential, "name"> & { scopes: readonly Scope[] },
  value: StoredValue,
  nowMs: number,
): Credential {
  return {
    _id: createId("credential", nowMs),
    projectId,
    name,
    hash: value.hash,
    lastSix: value.lastSix,
    previous: [],
    scopes: PROJECT_SCOPES.filter((scope) => scopes.length === 0 || scopes.includes(scope)),
    createdAt: new Date(nowMs),
  };
}

/**
 * The credential with another value. The one that it had is good for the grace, and those before it until theirs ends.
 *
 * @returns undefined when too many values would be good at once
 */
export function rotateCredential(
  credential: Credential,
  value: StoredValue,
  graceSeconds: number,
  nowMs: number,
): Credential | undefined {
  const replaced = { hash: credential.hash, validUntil: new Date(nowMs + graceSeconds * 1_000) };
  const previous = inGrace({ previous: [...credential.previous, replaced] }, nowMs);
  if (previous.length > PREVIOUS_MAX) return undefined;
  return { ...credential, hash: value.hash, lastSix: value.lastSix, previous };
}

/** When the last of the values that were rotated away stops working; null: none works. */
export function previousValidUntil(credential: Pick<Credential, "previous">, nowMs: number): Date | null {
  const ends = inGrace(credential, nowMs).map(({ validUntil }) => validUntil.getTime());
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}

function inGrace({ previous }: Pick<Credential, "previous">, nowMs: number): PreviousValue[] {
  return previous.filter(({ validUntil }) => validUntil.getTime() > nowMs);
}
