import { describe, expect, it } from "vitest";
import { parseTraceparent } from "./traceparent.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("parseTraceparent", () => {
  it("continues the caller's span, and knows whether it is recorded", () => {
    const found = { traceId: TRACE, spanId: SPAN, isRemote: true };
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ ...found, traceFlags: 1 });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...found, traceFlags: 0 });
  });

  it("knows of later versions what they have in common", () => {
    expect(parseTraceparent(`01-${TRACE}-${SPAN}-03-more`)).toMatchObject({ traceId: TRACE, traceFlags: 1 });
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
  ])("begins a trace of its own where the header is %j", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
