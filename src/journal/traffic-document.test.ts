import { describe, expect, it } from "vitest";
import { TRAFFIC } from "../../test/harness/traffic.ts";
import { toTrafficDocument } from "./traffic-document.ts";
import { readTrafficRows, type TrafficEvent, writeTrafficRow } from "./traffic-event.ts";

describe("a row of traffic", () => {
  it("gives back the event that was written, whatever its texts are", () => {
    const hard = ["", '"', "\\", "\x7f", "\x80", "\u2029", "a\nb", "ü", "{}", "]", "'"];
    const events = hard.map((path, at): TrafficEvent => ({ ...TRAFFIC, path, at, latencyMs: at / 1_000 }));
    expect(readTrafficRows(`[${events.map(writeTrafficRow).join(",")}]`)).toStrictEqual(events);
  });
});

describe("a document of api_traffic", () => {
  it("has everything of its event", () => {
    expect(toTrafficDocument(TRAFFIC)).toStrictEqual({ ...TRAFFIC, at: new Date(TRAFFIC.at) });
  });

  it("leaves out empty texts, and those that rows of an earlier version lack", () => {
    const [, ...names] = Object.keys(TRAFFIC).filter((name) => typeof Reflect.get(TRAFFIC, name) === "string");
    const kept = ["projectId", "method"];
    const empty = Object.fromEntries(names.filter((name) => !kept.includes(name)).map((name) => [name, ""]));
    const { requestId, at, projectId, method, statusCode, latencyMs } = TRAFFIC;
    const least = { requestId, at: new Date(at), projectId, method, statusCode, latencyMs };
    expect(toTrafficDocument({ ...TRAFFIC, ...empty })).toStrictEqual(least);
    const [row] = JSON.parse(`[${writeTrafficRow(TRAFFIC)}]`) as unknown[][];
    const [event] = readTrafficRows(JSON.stringify([row?.slice(0, 8)]));
    const { endpoint, path } = TRAFFIC;
    expect(event && toTrafficDocument(event)).toStrictEqual({ ...least, endpoint, path });
  });

  it("is refused without a time", () => {
    expect(() => toTrafficDocument({ ...TRAFFIC, at: Number.NaN })).toThrow(/time/);
    expect(() => readTrafficRows("[{}").map(toTrafficDocument)).toThrow();
  });
});
