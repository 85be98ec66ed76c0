/** ISO 8601 as people send it: a date, or a date and a time with seconds and offset left out at will. */
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:\d{2})?)?$/;

/** The years 1 to 9999 in UTC, those of google.protobuf.Timestamp. */
const TIME_MIN_MS = Date.parse("0001-01-01T00:00:00Z");
const TIME_MAX_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads a time; where no offset is given it is UTC.
 *
 * @returns epoch milliseconds; undefined when the text is no time that exists, such as 30 February
 */
export function parseTime(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    // The expression has these six groups.
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  const exists =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  const offset = offsetMs(match[8]);
  if (!exists || year === 0 || offset === undefined) return undefined;
  const time = date.getTime() - offset;
  return time >= TIME_MIN_MS && time <= TIME_MAX_MS ? time : undefined;
}

function offsetMs(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
