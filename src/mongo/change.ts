import type { ClientSession } from "mongodb";
import { type Caller, OPERATOR } from "../lib/call.ts";

/** Who makes a change. */
export interface Actor {
  /** The project that the change is in. */
  projectId: string;
  /** The id of the credential; null: the operator or the service itself. */
  credentialId: string | null;
}

/** What the audit log says of a change. Neither state ever holds a secret. */
export interface ChangeRecord {
  /** Such as `consumer.update`. */
  action: string;
  targetId: string;
  /** The target as it was, null when it was made. Plain JSON values. */
  before: Readonly<Record<string, unknown>> | null;
  /** The target as it is, null when it was deleted. */
  after: Readonly<Record<string, unknown>> | null;
}

/** A change under way: a transaction, in which everything happens or nothing. */
export interface Change {
  readonly actor: Actor;
  /** For every operation of the change. */
  readonly session: ClientSession;
  /** The database's time when the change began, epoch milliseconds, shifted by the setting for tests. */
  readonly nowMs: number;
  /** Tells every node that it is to forget what it knows of a consumer and its keys, once the change has been made. */
  touch(consumerId: string): void;
  /** Adds to the audit log, in the same transaction. A record whose states are equal is left out. */
  record(record: ChangeRecord): void;
}

/**
 * Runs a change as one transaction with its audit entries, acknowledged by a majority. The work may run several times, and
 * what it throws undoes everything.
 *
 * @param turn what the change will lock: on this node, changes of the same thing wait for each other instead of making
 *   each other start over. Throws CONTENDED when it waited too long, and nothing was done then.
 */
export type MakeChange = <Result>(
  actor: Actor,
  work: (change: Change) => Promise<Result>,
  turn?: string,
) => Promise<Result>;

/** A caller as the one who makes a change in a project, by default the caller's own. */
export function actorOf({ credentialId, ...caller }: Caller, projectId = caller.projectId): Actor {
  return { projectId, credentialId: credentialId === OPERATOR ? null : credentialId };
}
