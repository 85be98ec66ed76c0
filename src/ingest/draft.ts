/** Events of a project that become one document. */
export interface Draft {
  projectId: string;
  rows: readonly string[];
  /** One for each row; empty: the caller gave none. */
  requestIds: readonly string[];
  /** For each row, the place of the portion that it is of. */
  owners: readonly number[];
}

/** What a draft is made of. */
interface Part {
  projectId: string;
  rows: readonly string[];
  requestIds: readonly string[];
}

/** Events of a document. Not many: to find one of its ids, all are looked at. */
export const DRAFT_EVENTS_MAX = 250;

/**
 * The events of the portions of a project in as few drafts as may be, each id once.
 *
 * @returns also how many events of each portion are in one before them
 */
export function draftsOf(parts: readonly Part[]): { drafts: Draft[]; duplicates: number[] } {
  const drafts: { projectId: string; rows: string[]; requestIds: string[]; owners: number[] }[] = [];
  const duplicates: number[] = [];
  const seen = new Set<string>();
  let draft: (typeof drafts)[number] | undefined;
  for (const [owner, { projectId, rows, requestIds }] of parts.entries()) {
    let count = 0;
    for (const [index, row] of rows.entries()) {
      const requestId = requestIds[index] ?? "";
      if (requestId !== "" && seen.has(requestId)) {
        count++;
        continue;
      }
      seen.add(requestId);
      if (draft === undefined || draft.rows.length === DRAFT_EVENTS_MAX) {
        draft = { projectId, rows: [], requestIds: [], owners: [] };
        drafts.push(draft);
      }
      draft.rows.push(row);
      draft.requestIds.push(requestId);
      draft.owners.push(owner);
    }
    duplicates.push(count);
  }
  return { drafts, duplicates };
}

/** A draft without the events that are recorded, which it counts with their portions; undefined: all of them are. */
export function withoutRecorded(draft: Draft, recorded: ReadonlySet<string>, duplicates: number[]): Draft | undefined {
  const fresh = draft.rows.flatMap((_row, index) => {
    if (!recorded.has(draft.requestIds[index] ?? "")) return [index];
    const owner = draft.owners[index] ?? 0;
    duplicates[owner] = (duplicates[owner] ?? 0) + 1;
    return [];
  });
  if (fresh.length === 0) return undefined;
  return {
    projectId: draft.projectId,
    rows: fresh.map((index) => draft.rows[index] ?? ""),
    requestIds: fresh.map((index) => draft.requestIds[index] ?? ""),
    owners: fresh.map((index) => draft.owners[index] ?? 0),
  };
}
