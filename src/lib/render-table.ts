import { formatCount } from "./format-count.ts";

/** A row: texts are aligned left, numbers right and with separators. */
export type Row = readonly (string | number)[];

/**
 * Lays rows out in columns that are as wide as their widest cell, under a header and, below a second rule, the sums if
 * there are any.
 *
 * @param headers as many as each row has cells; a header is aligned like the first row's cell below it
 * @returns lines without line ends
 */
export function renderTable(headers: readonly string[], rows: readonly Row[], footers: readonly Row[] = []): string[] {
  const all = [headers, ...rows, ...footers].map((row) => row.map(cellText));
  const widths = headers.map((_header, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const sample = rows[0] ?? footers[0] ?? [];
  const line = (row: Row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return typeof sample[column] === "number" ? cellText(cell).padStart(width) : cellText(cell).padEnd(width);
    });
    return cells.join("  ").trimEnd();
  };
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const sums = footers.length === 0 ? [] : [rule, ...footers.map(line)];
  return [line(headers), rule, ...rows.map(line), ...sums];
}

function cellText(cell: string | number): string {
  return typeof cell === "number" ? formatCount(cell) : cell;
}
