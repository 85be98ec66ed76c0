/**
 * Compares counts with what the log implies. A name that is absent on one side has a count of 0 there.
 *
 * @returns a line for each difference
 */
export function compareCounts(
  subject: string,
  counts: ReadonlyMap<string, number>,
  implied: ReadonlyMap<string, number>,
): string[] {
  return [...new Set([...implied.keys(), ...counts.keys()])].flatMap((name) =>
    compareCount(`${subject}: ${name}`, counts.get(name) ?? 0, implied.get(name) ?? 0),
  );
}

/** The same of one count: a line if it differs, else nothing. */
export function compareCount(subject: string, count: number, implied: number): string[] {
  return count === implied ? [] : [`${subject} is ${count}, the log implies ${implied}`];
}
