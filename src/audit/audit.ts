import { isDeepStrictEqual } from "node:util";

/** A change as it is stored, in the collection `audit`. */
export interface AuditEntry {
  /** Sorts by the time of the change, on the database's clock. */
  _id: string;
  projectId: string;
  at: Date;
  /** null: the operator or the service itself. */
  credentialId: string | null;
  /** Such as `consumer.update`. */
  action: string;
  targetId: string;
  /** The changed fields as they were and as they are, JSON text: whatever their keys look like, the database never reads them. */
  before: string;
  after: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What differs between two states of a thing: of each, the fields that are not the same in the other. A thing that was made
 * or deleted shows all of its one state.
 *
 * @returns undefined when nothing differs
 */
export function changedFields(
  before: Fields | null,
  after: Fields | null,
): { before: Fields; after: Fields } | undefined {
  const changed = { before: {} as Record<string, unknown>, after: {} as Record<string, unknown> };
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const was = before?.[name];
    const is = after?.[name];
    // In whichever order their own fields are.
    if (before !== null && after !== null && isDeepStrictEqual(was, is)) continue;
    if (was !== undefined) changed.before[name] = was;
    if (is !== undefined) changed.after[name] = is;
  }
  const isSame = Object.keys(changed.before).length === 0 && Object.keys(changed.after).length === 0;
  return isSame ? undefined : changed;
}
