import { expect, it } from "vitest";
import { type AccessLogEntry, parseAccessLog, parseAccessLogLine, readAccessLog } from "./access-log.ts";

const LINE =
  '192.0.2.7 - ann [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 203023 "http://example.com/" "Agent/1.0 (x)"';

function entryOf(line: string): AccessLogEntry {
  const entry = parseAccessLogLine(line, 1);
  if (entry === undefined) throw new Error(`not parsed: ${line}`);
  return entry;
}

it("every field of a line is read", () => {
  expect(entryOf(LINE)).toEqual({
    lineNumber: 1,
    clientAddress: "192.0.2.7",
    user: "ann",
    timeMs: Date.UTC(2015, 4, 17, 10, 5, 3),
    requestLine: "GET /a?b=c HTTP/1.1",
    method: "GET",
    target: "/a?b=c",
    protocol: "HTTP/1.1",
    statusCode: 200,
    bodyBytes: 203_023,
    referrer: "http://example.com/",
    userAgent: "Agent/1.0 (x)",
    isCutOff: false,
  });
});

it("a dash is null in every field that may have one", () => {
  const entry = entryOf('192.0.2.7 - - [17/May/2015:10:05:03 +0000] "-" 408 - "-" "-"');
  expect(entry).toMatchObject({ user: null, requestLine: null, method: null, target: null, protocol: null });
  expect(entry).toMatchObject({ statusCode: 408, bodyBytes: null, referrer: null, userAgent: null });
});

it("an empty quoted field is an empty text and not null", () => {
  expect(entryOf(LINE.replace("Agent/1.0 (x)", ""))).toMatchObject({ userAgent: "", isCutOff: false });
});

it.each([
  [String.raw`say \"hi\"`, 'say "hi"'],
  [String.raw`C:\\temp\\`, "C:\\temp\\"],
  [String.raw`\\x41 is no byte`, "\\x41 is no byte"],
  [String.raw`caf\xc3\xa9`, "café"],
  [String.raw`\x5cn is a backslash and an n`, "\\n is a backslash and an n"],
  [String.raw`tab\tline\n`, "tab\tline\n"],
])("the escaped user agent %s is %j", (written, meant) => {
  expect(entryOf(LINE.replace("Agent/1.0 (x)", () => written))).toMatchObject({ userAgent: meant, isCutOff: false });
});

it.each(["2001:db8::7:1", "::ffff:192.0.2.7", "fe80::1%eth0", "host.example.com"])(
  "%s is a client address",
  (address) => {
    expect(entryOf(LINE.replace("192.0.2.7", address)).clientAddress).toBe(address);
  },
);

it.each([
  ["17/May/2015:10:05:03 +0200", Date.UTC(2015, 4, 17, 8, 5, 3)],
  ["17/May/2015:10:05:03 -0730", Date.UTC(2015, 4, 17, 17, 35, 3)],
  ["29/Feb/2016:23:59:59 +0000", Date.UTC(2016, 1, 29, 23, 59, 59)],
])("the time %s is %i", (time, timeMs) => {
  expect(entryOf(LINE.replace("17/May/2015:10:05:03 +0000", time)).timeMs).toBe(timeMs);
});

it("a request line that is not HTTP is kept, without a method", () => {
  const entry = entryOf(LINE.replace("GET /a?b=c HTTP/1.1", String.raw`\x16\x03\x01`));
  expect(entry).toMatchObject({ requestLine: "\x16\x03\x01", method: null, target: null });
});

it("a line that was cut off inside its user agent is an entry, and says so", () => {
  expect(entryOf(LINE.slice(0, -4))).toMatchObject({ userAgent: "Agent/1.0 ", isCutOff: true });
  expect(entryOf(`${LINE.slice(0, -1)}\\`)).toMatchObject({ isCutOff: true });
});

it.each([
  ["text", "hello"],
  ["the common log format", LINE.slice(0, LINE.indexOf(' "http'))],
  ["a line that was cut off before its user agent", LINE.slice(0, LINE.indexOf(' "Agent'))],
  ["the 31st of June", LINE.replace("17/May", "31/Jun")],
  ["a month that does not exist", LINE.replace("May", "Mai")],
  ["an hour that does not exist", LINE.replace(":10:", ":24:")],
  ["a status of two digits", LINE.replace(" 200 ", " 20 ")],
  ["text behind the last quote", `${LINE} more`],
])("%s is no entry", (_title, line) => {
  expect(parseAccessLogLine(line, 1)).toBeUndefined();
});

it("every line that is not blank is an entry or is reported with its number", () => {
  const log = parseAccessLog(`${LINE}\r\n\nhello\n${LINE}\n`);
  expect(log.entries.map(({ lineNumber }) => lineNumber)).toEqual([1, 4]);
  expect(log.unparsedLines).toEqual([{ lineNumber: 3, text: "hello" }]);
});

it("a file that is absent is no log, and one that cannot be read is an error", async () => {
  expect(await readAccessLog("/nonexistent/access_log")).toBeUndefined();
  await expect(readAccessLog(import.meta.dirname)).rejects.toThrow("EISDIR");
});
