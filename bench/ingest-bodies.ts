import { randomBytes } from "node:crypto";
import { type TrafficDocument, toTrafficDocument } from "../src/journal/traffic-document.ts";
import type { TrafficEvent } from "../src/journal/traffic-event.ts";
import { createTraffic } from "./analytics-events.ts";

/** Events for one call or one insert, made before the time is taken and sent again and again, each time as new ones. */
export interface Batch {
  /** As an application has them. */
  events: readonly TrafficEvent[];
  /** The body of a call of /ingest with these events. */
  body: Buffer;
  /** Where in the body the ends of the ids begin, behind which the times are. */
  places: readonly number[];
}

/** The end of a request id, which each sending changes. */
const SENDING_LENGTH = 8;
const idEnd = (sending: number) => sending.toString(36).padStart(SENDING_LENGTH, "0");

/** Events of the shape of an access log, with ids that those of no other batch and no other process have. */
export function createBatch(projectId: string, size: number): Batch {
  const traffic = createTraffic(projectId);
  const own = randomBytes(6).toString("hex");
  const events = Array.from({ length: size }, (_, number) => ({
    ...traffic(number, 0),
    requestId: `req_${own}${String(number).padStart(4, "0")}${idEnd(0)}`,
  }));
  const body = Buffer.from(JSON.stringify({ events: events.map(toSent) }));
  const places: number[] = [];
  const end = `${idEnd(0)}","timestamp"`;
  for (let at = body.indexOf(end); at !== -1; at = body.indexOf(end, at + 1)) places.push(at);
  return { events, body, places };
}

/** What an application sends of an event: id and time first, and nothing that is empty. */
export function toSent({ requestId, at, projectId: _, ...rest }: TrafficEvent): object {
  const filled = Object.entries(rest).filter(([, value]) => value !== "");
  return { requestId, timestamp: new Date(at).toISOString(), ...Object.fromEntries(filled) };
}

/** Gives the events in a body other ids and the time of now, by some bytes of each: next to nothing beside sending them. */
export function renewBody({ body, places }: Pick<Batch, "body" | "places">, sending: number): void {
  const changed = Buffer.from(`${idEnd(sending)}","timestamp":"${new Date().toISOString()}`, "latin1");
  for (const place of places) changed.copy(body, place);
}

/** The events as they are stored, with other ids and the time of now. */
export function newDocuments({ events }: Pick<Batch, "events">, sending: number): TrafficDocument[] {
  const [end, at] = [idEnd(sending), new Date()];
  return events.map((event) => {
    const document = toTrafficDocument(event);
    document.at = at;
    document.requestId = event.requestId.slice(0, -SENDING_LENGTH) + end;
    return document;
  });
}
