import { expect, it } from "vitest";
import { createRequestId } from "./create-request-id.ts";

it("ids have the form of the service's, and sort by time", () => {
  const zeros = new Uint8Array(16);
  expect(createRequestId(0, zeros)).toBe(`req_${"0".repeat(26)}`);
  expect(createRequestId(33, zeros)).toBe(`req_0000000011${"0".repeat(16)}`);
  expect(createRequestId(1_760_000_000_000) < createRequestId(1_760_000_000_001)).toBe(true);
  expect(createRequestId(1)).not.toBe(createRequestId(1));
});
