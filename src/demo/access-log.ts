import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** A line of an access log in Apache's combined log format. What the log writes as `-` is null. */
export interface AccessLogEntry {
  /** Of the line in its log, from 1. */
  lineNumber: number;
  /** IPv4, IPv6, or a host name where the server looked it up. */
  clientAddress: string;
  user: string | null;
  /** Epoch milliseconds. */
  timeMs: number;
  /** The first line of the request as it came, such as `GET /a?b HTTP/1.1`; null when the client sent none. */
  requestLine: string | null;
  /** null, like `target` and `protocol`, when the request line is not HTTP. */
  method: string | null;
  /** Path and query. */
  target: string | null;
  protocol: string | null;
  statusCode: number;
  bodyBytes: number | null;
  referrer: string | null;
  userAgent: string | null;
  /** Whether the line ends inside the user agent, of which a part is lost then. */
  isCutOff: boolean;
}

export interface AccessLog {
  /** Tells it from every log of another text. */
  digest: string;
  entries: AccessLogEntry[];
  /** Lines that are not in the combined log format. Blank lines are neither these nor entries. */
  unparsedLines: { lineNumber: number; text: string }[];
}

/** The text between two quotes, in which Apache escapes quotes and backslashes with a backslash. */
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
/** Real logs hold lines that were cut off inside their last field; the request itself is whole in them. */
const QUOTED_MAYBE_CUT_OFF = '"((?:[^"\\\\]|\\\\.)*)("|\\\\?)';
const LINE = new RegExp(
  `^(\\S+) \\S+ (.+?) \\[([^\\]]+)\\] ${QUOTED} (\\d{3}) (\\d+|-) ${QUOTED} ${QUOTED_MAYBE_CUT_OFF}$`,
);
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) (HTTP\/\d(?:\.\d)?)$/;
const TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):([01]\d|2[0-3]):([0-5]\d):([0-5]\d) ([+-])(\d{2})(\d{2})$/;
const DIGEST_LENGTH = 16;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CONTROL_ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", v: "\v", f: "\f" };

/**
 * Reads an access log in memory.
 *
 * @param text lines that end in `\n` or `\r\n`
 */
export function parseAccessLog(text: string): AccessLog {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
  const log: AccessLog = { digest, entries: [], unparsedLines: [] };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const entry = parseAccessLogLine(line, index + 1);
    if (entry === undefined) log.unparsedLines.push({ lineNumber: index + 1, text: line });
    else log.entries.push(entry);
  }
  return log;
}

/**
 * Reads one line, without its line end.
 *
 * @returns undefined for a line that is not in the combined log format, or has an impossible time
 */
export function parseAccessLogLine(line: string, lineNumber: number): AccessLogEntry | undefined {
  const fields = LINE.exec(line);
  if (fields === null) return undefined;
  const [, clientAddress = "", user = "", time = "", request = "", status = "", bytes = "", ...tail] = fields;
  const [referrer = "", userAgent = "", end] = tail;
  const timeMs = parseLogTime(time);
  if (timeMs === undefined) return undefined;
  const requestLine = textOf(request);
  const [, method = null, target = null, protocol = null] = REQUEST_LINE.exec(requestLine ?? "") ?? [];
  return {
    lineNumber,
    clientAddress,
    user: user === "-" ? null : user,
    timeMs,
    requestLine,
    method,
    target,
    protocol,
    statusCode: Number(status),
    bodyBytes: bytes === "-" ? null : Number(bytes),
    referrer: textOf(referrer),
    userAgent: textOf(userAgent),
    isCutOff: end !== '"',
  };
}

/**
 * Reads a log file.
 *
 * @returns undefined when there is no such file; rejects when it cannot be read
 */
export async function readAccessLog(path: string): Promise<AccessLog | undefined> {
  try {
    return parseAccessLog(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** @returns epoch milliseconds of a time such as `17/May/2015:10:05:03 +0000`; undefined when there is no such time */
function parseLogTime(text: string): number | undefined {
  const fields = TIME.exec(text);
  if (fields === null) return undefined;
  const [, day, monthName = "", year, hour, minute, second, sign, zoneHours, zoneMinutes] = fields;
  const month = MONTHS.indexOf(monthName);
  const localMs = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC rolls the 31st of June over into July.
  const local = new Date(localMs);
  if (local.getUTCMonth() !== month || local.getUTCDate() !== Number(day)) return undefined;
  const zoneOffsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === "+" ? localMs - zoneOffsetMs : localMs + zoneOffsetMs;
}

/** What stood in a quoted field before it was escaped; null for `-`. */
function textOf(field: string): string | null {
  if (field === "-") return null;
  if (!field.includes("\\")) return field;
  // Bytes that are not ASCII are escaped one by one: a run of them is one piece of UTF-8.
  return field.replace(/((?:\\x[0-9a-fA-F]{2})+)|\\(.)/g, (_whole, bytes: string | undefined, escaped: string) => {
    if (bytes !== undefined) return Buffer.from(bytes.replaceAll("\\x", ""), "hex").toString("utf8");
    return CONTROL_ESCAPES[escaped] ?? escaped;
  });
}
