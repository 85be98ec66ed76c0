const COUNT_FORMAT = new Intl.NumberFormat("en-US");

/** A whole number with separators, such as `10,000`. */
export function formatCount(count: number): string {
  return COUNT_FORMAT.format(count);
}
