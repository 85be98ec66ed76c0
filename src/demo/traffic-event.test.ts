import { expect, it } from "vitest";
import { parseAccessLog } from "./access-log.ts";
import { shiftOf, trafficEventsOf } from "./traffic-event.ts";

const LINES = [
  '192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 1 "-" "Agent/1.0"',
  '192.0.2.8 - - [17/May/2015:10:05:09 +0000] "HEAD / HTTP/1.1" 404 1 "-" "-"',
  '192.0.2.7 - - [17/May/2015:10:05:04 +0000] "-" 408 - "-" "-"',
];
const log = parseAccessLog(LINES.join("\n"));
const NOW_MS = Date.UTC(2026, 0, 31, 12, 0, 0, 789);

it("the newest request was one to two seconds ago, and every other as long before it as in the log", () => {
  const shiftMs = shiftOf(log.entries, NOW_MS);
  const times = trafficEventsOf(log, shiftMs, new Map()).map(({ timestamp }) => timestamp);
  expect(shiftMs % 1_000).toBe(0);
  expect(times).toEqual([7, 1, 6].map((secondsBefore) => NOW_MS - 1_789 - (secondsBefore - 1) * 1_000));
});

it("an event has what the log knows, with a dash for a request that is not HTTP, and the id of a consumer", () => {
  const [first, second, third] = trafficEventsOf(log, 0, new Map([["192.0.2.8", "consumer_8"]]));
  expect(first).toEqual({
    requestId: `log_${log.digest}_1`,
    timestamp: Date.UTC(2015, 4, 17, 10, 5, 3),
    method: "GET",
    path: "/a?b=c",
    statusCode: 200,
    clientIp: "192.0.2.7",
    userAgent: "Agent/1.0",
  });
  expect(second).toMatchObject({ method: "HEAD", path: "/", consumerId: "consumer_8" });
  expect(second).not.toHaveProperty("userAgent");
  expect(third).toMatchObject({ method: "-", path: "-", statusCode: 408 });
});

it("the same log has the same ids whenever it is sent, a different one for each line and each log", () => {
  const idsOf = (text: string, shiftMs: number) =>
    trafficEventsOf(parseAccessLog(text), shiftMs, new Map()).map(({ requestId }) => requestId);
  const ids = idsOf(LINES.join("\n"), 0);
  expect(idsOf(LINES.join("\n"), 5_000)).toEqual(ids);
  expect(new Set([...ids, ...idsOf(LINES.toReversed().join("\n"), 0)]).size).toBe(6);
});
