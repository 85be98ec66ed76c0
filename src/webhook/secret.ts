import type { Binary } from "mongodb";

/** The signing secrets of a project, in the collection `webhook_secrets`, encrypted. */
export interface SigningSecrets {
  /** `<projectId>:signing` */
  _id: string;
  current: Binary | Buffer;
  /** The one before: it signs beside the current one until then. */
  previous: { value: Binary | Buffer; validUntil: Date } | null;
}

export function secretsId(projectId: string): string {
  return `${projectId}:signing`;
}

/**
 * The secrets with a new one. Two are valid at most: the one that was in its grace ends at once.
 *
 * @param before null: the project has none yet
 */
export function rotateSecrets(
  before: SigningSecrets | null,
  projectId: string,
  value: Buffer,
  graceSeconds: number,
  nowMs: number,
): SigningSecrets {
  const inGrace = before !== null && graceSeconds > 0;
  const validUntil = new Date(nowMs + graceSeconds * 1_000);
  return {
    _id: secretsId(projectId),
    current: value,
    previous: inGrace ? { value: before.current, validUntil } : null,
  };
}

/** What signs at `nowMs`, the current one first. */
export function validSecrets({ current, previous }: SigningSecrets, nowMs: number): (Binary | Buffer)[] {
  return previous !== null && previous.validUntil.getTime() > nowMs ? [current, previous.value] : [current];
}
