import type { KeyServiceValidateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import { remaining, settle } from "../credits/pool.ts";
import { maskValue } from "../key/key.ts";
import type { KnownKey } from "./account.ts";
import type { SettledVerdict } from "./settle-call.ts";

/** What is recorded of a call, whatever its verdict. */
export interface RecordedCall {
  requestId: string;
  projectId: string;
  request: KeyServiceValidateRequest;
  /** Of the API that is called; undefined: none was named, or the project has no such API. */
  apiName: string | undefined;
  /** When it arrived, on `performance.now()`. */
  arrivedMs: number;
}

/**
 * The row of a verdict's key_activity event, in the order of src/journal/activity-event.ts. Written by hand, because it is on
 * the way of every call: a test compares it with what the reader of rows makes of it.
 */
export function writeRow(call: RecordedCall, known: KnownKey, verdict: SettledVerdict): string {
  if (verdict.code === "NOT_FOUND") return writeNotFoundRow(call, verdict.nowMs);
  const { consumer, meter, nowMs, isRepeated } = verdict;
  const left = meter.credits === null ? "null" : remaining(settle(meter.credits, nowMs), nowMs);
  const start = head(call, verdict.code, nowMs, isRepeated ? 0 : verdict.charged, left);
  return `${start}${ownerOf(known, consumer)}${tail(call)}`;
}

/** The same of a key that was not found. */
export function writeNotFoundRow(call: RecordedCall, atMs: number): string {
  const masked = JSON.stringify(maskValue(call.request.key));
  return `${head(call, "NOT_FOUND", atMs, 0, "null")}"",${masked},"","",${tail(call)}`;
}

function head(call: RecordedCall, code: string, atMs: number, charged: number, left: number | string): string {
  const latencyMs = Math.round((performance.now() - call.arrivedMs) * 100) / 100;
  const { requestId, projectId } = call;
  return `[${JSON.stringify(requestId)},${atMs},"${code}",${charged},${left},${latencyMs},1,"${projectId}",`;
}

/** Key and consumer, which stay the same from call to call. */
const owners = new WeakMap<KnownKey, { name: string | null; text: string }>();

function ownerOf(known: KnownKey, { name }: Consumer): string {
  const written = owners.get(known);
  if (written !== undefined && written.name === name) return written.text;
  const { key, maskedValue } = known;
  const texts = [key._id, maskedValue, key.consumerId, name ?? ""].map((text) => JSON.stringify(text));
  const text = `${texts.join(",")},`;
  owners.set(known, { name, text });
  return text;
}

function tail({ request, apiName }: RecordedCall): string {
  const { apiId, endpoint, method, clientIp, userAgent, country, region } = request;
  return `${[apiId, apiName, endpoint, method, clientIp, userAgent, country, region].map(written).join(",")}]`;
}

function written(text: string | undefined): string {
  return text === undefined || text === "" ? '""' : JSON.stringify(text);
}
