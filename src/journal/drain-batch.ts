import { splitBySize } from "../lib/split-by-size.ts";
import type { Source } from "../segments/segment.ts";
import { type ActivityDocument, toActivityDocument } from "./activity-document.ts";
import { readRows } from "./activity-event.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { type TrafficDocument, toTrafficDocument } from "./traffic-document.ts";
import { readTrafficRows } from "./traffic-event.ts";

/** An event as its time-series keeps it. */
export type EventDocument = ActivityDocument | TrafficDocument;

/** Where the events of entries of a kind go, and as what. */
interface Destination {
  collection: Source;
  /** Throws when the text is not what it should be. */
  toDocuments(events: string): EventDocument[];
}

export const DESTINATIONS: Readonly<Record<JournalEntry["kind"], Destination>> = {
  activity: { collection: "key_activity", toDocuments: (events) => readRows(events).map(toActivityDocument) },
  traffic: { collection: "api_traffic", toDocuments: (events) => readTrafficRows(events).map(toTrafficDocument) },
};

/** The kinds that this version drains. Entries of a later version wait for it. */
export const KINDS = Object.keys(DESTINATIONS) as JournalEntry["kind"][];

/** What one command inserts. */
export interface Piece {
  collection: Source;
  documents: EventDocument[];
  /** The number of each document within its batch: with the session and its transaction number, it applies once. */
  statements: number[];
}

/** Bytes of a command, which is one BSON document, of which MongoDB takes 16 MB. */
const PIECE_BYTES_MAX = 14_000_000;
/** More than the names, the numbers and the framing of a document take. */
const FRAME_BYTES = 600;
/** The most bytes that a UTF-16 unit takes in UTF-8. */
const UNIT_BYTES_MAX = 3;

/**
 * The events of a batch as commands. The same entries in the same order give every document the same number.
 *
 * @throws when an entry cannot be read
 */
export function piecesOf(entries: readonly JournalEntry[]): Piece[] {
  const pieces: Piece[] = [];
  let statement = 0;
  for (const kind of KINDS) {
    const { collection, toDocuments } = DESTINATIONS[kind];
    const ofKind = entries.filter((entry) => entry.kind === kind);
    const documents = ofKind.flatMap(({ events }) => toDocuments(events));
    const textLength = ofKind.reduce((sum, { events }) => sum + events.length, 0);
    for (const part of partsOf(documents, textLength)) {
      const first = statement;
      pieces.push({ collection, documents: part, statements: part.map((_document, index) => first + index) });
      statement += part.length;
    }
  }
  return pieces;
}

/** Documents in parts that a command takes. No document is longer than the text that it was made of. */
function partsOf(documents: EventDocument[], textLength: number): EventDocument[][] {
  if (documents.length === 0) return [];
  if (textLength * UNIT_BYTES_MAX + documents.length * FRAME_BYTES <= PIECE_BYTES_MAX) return [documents];
  const bytesOf = (document: EventDocument) => JSON.stringify(document).length * UNIT_BYTES_MAX + FRAME_BYTES;
  return splitBySize(documents, bytesOf, PIECE_BYTES_MAX);
}

/** What two documents have in common that are the same event: of traffic, project, request id and time. */
function identityOf(document: EventDocument): string {
  const { projectId, requestId, at } = document;
  const verdict = "code" in document ? [document.code, document.keyId] : [];
  return JSON.stringify([projectId, requestId, at.getTime(), ...verdict]);
}

/** The piece without the events that are present already; the others keep their numbers. */
export function withoutPresent(piece: Piece, present: readonly EventDocument[]): Piece {
  const counts = new Map<string, number>();
  for (const identity of present.map(identityOf)) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  const missing = piece.documents.flatMap((document, index) => {
    const identity = identityOf(document);
    const count = counts.get(identity) ?? 0;
    if (count === 0) return [index];
    counts.set(identity, count - 1);
    return [];
  });
  return {
    collection: piece.collection,
    documents: missing.flatMap((index) => piece.documents[index] ?? []),
    statements: missing.flatMap((index) => piece.statements[index] ?? []),
  };
}
