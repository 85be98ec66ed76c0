import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { AnalyticsDetailsSchema, LogRowSchema } from "../../gen/keysvc/v1/analytics_pb.js";
import { AuditEntrySchema } from "../../gen/keysvc/v1/audit_pb.js";
import { ConsumerServiceDetailsResponseSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import { VerdictCode } from "../../gen/keysvc/v1/key_pb.js";
import { csvTable } from "./csv-table.ts";

/** The cells of a log row by their names; for texts without commas and quotes. */
function cells(init: MessageInitShape<typeof LogRowSchema>): Record<string, string> {
  const { header, row } = csvTable(LogRowSchema);
  const values = row(create(LogRowSchema, init)).trimEnd().split(",");
  return Object.fromEntries(
    header
      .trimEnd()
      .split(",")
      .map((name, index) => [name, values[index] ?? "?"]),
  );
}

describe("csvTable", () => {
  it("has a column for each field under its name in JSON, and ends lines with CRLF", () => {
    const { header, row } = csvTable(LogRowSchema);
    expect(header).toMatch(/^requestId,timestamp,tsUnix,method,endpoint,path,statusCode,latencyMs,.*,userAgent\r\n$/);
    const line = row(create(LogRowSchema, { requestId: "req_1" }));
    expect(line).toMatch(/^req_1,.*\r\n$/);
    expect(line.split(",")).toHaveLength(header.split(",").length);
  });

  it("writes numbers and words as in JSON, and what is unset as an empty cell", () => {
    const row = cells({ tsUnix: 1_769_860_800n, statusCode: 429, latencyMs: 1.5, code: VerdictCode.RATE_LIMITED });
    expect(row).toMatchObject({ tsUnix: "1769860800", statusCode: "429", latencyMs: "1.5", code: "RATE_LIMITED" });
    expect(row).toMatchObject({ requestId: "", keyId: "", creditsCharged: "", userAgent: "" });
    expect(cells({ creditsCharged: 0n })).toMatchObject({ creditsCharged: "0", latencyMs: "0" });
    expect(cells({ latencyMs: Number.POSITIVE_INFINITY })).toMatchObject({ latencyMs: "" });
  });

  it.each([
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    [" blanks ", " blanks "],
    ["Zoë 😀", "Zoë 😀"],
    ["'", "'"],
  ])("quotes what RFC 4180 wants quoted, and nothing else: %j", (text, cell) => {
    expect(csvTable(LogRowSchema).row(create(LogRowSchema, { requestId: text }))).toMatch(new RegExp(`^${cell},`));
  });

  it.each([
    ["=1+1", "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(1)", "'@SUM(1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", `"'\r=1"`],
    ["1=1", "1=1"],
    ["a@b", "a@b"],
  ])("gives a text that a spreadsheet would run an apostrophe: %j", (text, cell) => {
    const line = csvTable(LogRowSchema).row(create(LogRowSchema, { requestId: text }));
    expect(line.startsWith(`${cell},`)).toBe(true);
  });

  it("leaves numbers below zero the numbers that they are", () => {
    expect(cells({ tsUnix: -5n, statusCode: -1, latencyMs: -0.5 })).toMatchObject({
      tsUnix: "-5",
      statusCode: "-1",
      latencyMs: "-0.5",
    });
  });

  it("writes times as ISO 8601, and lists and objects as JSON in one cell", () => {
    const at = timestampFromMs(0);
    expect(csvTable(AuditEntrySchema).row(create(AuditEntrySchema, { at }))).toMatch(/^1970-01-01T00:00:00\.000Z,/);
    const consumer = create(ConsumerServiceDetailsResponseSchema, {
      tags: ["a", "b"],
      metadata: { a: 1 },
      rateLimit: { limit: 5n },
    });
    const line = csvTable(ConsumerServiceDetailsResponseSchema).row(consumer);
    expect(line).toContain(`"[""a"",""b""]"`);
    expect(line).toContain(`"{""a"":1}"`);
    expect(line).toContain(`"{""limit"":5,""window"":null}"`);
  });

  it("has the columns of a message that is written in place of its field", () => {
    const { header, row } = csvTable(AnalyticsDetailsSchema);
    expect(header).toContain("total,byMethod,byStatusClass,total,byApi,errorBreakdown,avg,");
    expect(row(create(AnalyticsDetailsSchema, { latency: { avg: 2 } }))).toMatch(/^,,,,,,2,/);
  });
});
