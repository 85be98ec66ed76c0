import type { Source } from "../segments/segment.ts";
import { DESTINATIONS, type EventDocument, KINDS } from "./drain-batch.ts";
import type { JournalEntry } from "./journal-entry.ts";

/** The kind of the entries whose events go to a dataset. */
export function kindOf(source: Source): JournalEntry["kind"] | undefined {
  return KINDS.find((kind) => DESTINATIONS[kind].collection === source);
}

/** The events of a project that entries have, as their time-series will keep them. */
export function journaledOf(
  entries: readonly Pick<JournalEntry, "kind" | "events">[],
  projectId: string,
): EventDocument[] {
  return entries.flatMap(({ kind, events }) => {
    // Most entries are of other projects, and need not be parsed. Ids have nothing in them that JSON would escape.
    if (!events.includes(projectId)) return [];
    return DESTINATIONS[kind].toDocuments(events).filter((document) => document.projectId === projectId);
  });
}
