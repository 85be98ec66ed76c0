import type { SpanContext } from "@opentelemetry/api";

/** Version, trace, span and flags, in lower-case hexadecimal digits (W3C Trace Context, section 3.2). */
const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The caller's span, as the header names it; undefined where it says nothing that may be continued. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(header?.trim() ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Later versions may add something; this one has nothing after the flags.
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
