import type { IngestService, TrafficEvent as SentEvent } from "../../gen/keysvc/v1/ingest_pb.js";
import type { JournalBacklog } from "../journal/journal-backlog.ts";
import { type TrafficEvent, writeTrafficRow } from "../journal/traffic-event.ts";
import type { Call, Handlers } from "../lib/call.ts";
import type { FieldError } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import type { TimeBounds } from "../mongo/database-clock.ts";
import type { NameLookUp } from "./name-look-up.ts";
import type { Recorder } from "./recorder.ts";
import { checkEvent, contentLength, type Present } from "./traffic.ts";

export interface IngestOptions {
  recorder: Pick<Recorder, "checkRoom" | "record">;
  /** Throws OVERLOADED when too many events wait in the journal. */
  backlog: Pick<JournalBacklog, "checkRoom">;
  clock: { now(): TimeBounds | undefined };
  /** The database's time, epoch milliseconds, asked of it. */
  now: () => Promise<number>;
  retentionDays: number;
  apiNames: Pick<NameLookUp, "find">;
  consumerNames: Pick<NameLookUp, "find">;
}

/** What became of the events of a call before they are recorded. */
interface Checked {
  events: TrafficEvent[];
  rejected: { index: number; message: string }[];
}

const MESSAGE_MAX = 1_000;

/** Recording of traffic (docs/ingest.md). */
export function ingestService(options: IngestOptions): Handlers<typeof IngestService> {
  const { recorder, backlog, clock, now, retentionDays } = options;
  return {
    async ingest({ events: sent }, call) {
      const arrivedMs = performance.now();
      recorder.checkRoom();
      backlog.checkRoom();
      const { projectId } = call.caller;
      const nowMs = clock.now()?.latestMs ?? (await now());
      const { events, rejected } = checkEvents(sent, call, { nowMs, retentionDays });
      if (events.length === 0) return { accepted: 0, duplicates: 0, rejected };
      await giveNames(events, projectId, options);
      const requestIds = events.map(({ requestId }) => requestId);
      const rows = events.map((event) => {
        if (event.requestId === "") event.requestId = createId("req", nowMs);
        return writeTrafficRow(event);
      });
      const heldLength = sent.reduce((sum, event) => sum + contentLength(event), 0);
      const duplicates = await recorder.record({ projectId, rows, requestIds, arrivedMs, heldLength });
      return { accepted: rows.length - duplicates, duplicates, rejected };
    },
  };
}

function checkEvents(sent: readonly SentEvent[], { caller, elementErrors }: Call, present: Present): Checked {
  const checked: Checked = { events: [], rejected: [] };
  let errors: FieldError[] = [];
  for (const [index, one] of sent.entries()) {
    const unreadable = elementErrors.get(one);
    // What could not be read is missing, of which the rules would only say so again.
    const event = unreadable === undefined ? checkEvent(one, caller.projectId, present, errors) : undefined;
    const found = unreadable ?? errors;
    if (event !== undefined && found.length === 0) checked.events.push(event);
    else checked.rejected.push({ index, message: messageOf(found) });
    if (errors.length > 0) errors = [];
  }
  return checked;
}

/** All that is wrong with an event, for people. */
function messageOf(errors: readonly FieldError[]): string {
  const message = errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("; ");
  return message.length <= MESSAGE_MAX ? message : `${message.slice(0, MESSAGE_MAX).toWellFormed()}…`;
}

/**
 * Gives events the names of now: an API has the name that the project gave it, a consumer the one that was sent, else its own.
 * Ids of things that the project does not have are kept as they are, with the names that were sent.
 */
async function giveNames(
  events: readonly TrafficEvent[],
  projectId: string,
  { apiNames, consumerNames }: IngestOptions,
): Promise<void> {
  const apiIds = new Set<string>();
  const consumerIds = new Set<string>();
  for (const { apiId, consumerId, consumerName } of events) {
    if (apiId !== "") apiIds.add(apiId);
    if (consumerId !== "" && consumerName === "") consumerIds.add(consumerId);
  }
  if (apiIds.size + consumerIds.size === 0) return;
  const [apis, consumers] = await Promise.all([
    apiNames.find(projectId, apiIds),
    consumerNames.find(projectId, consumerIds),
  ]);
  for (const event of events) {
    event.apiName = apis.get(event.apiId) ?? event.apiName;
    if (event.consumerName === "") event.consumerName = consumers.get(event.consumerId) ?? "";
  }
}
