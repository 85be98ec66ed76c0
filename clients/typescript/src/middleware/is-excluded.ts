/** What a router, a proxy or a second decoding may read as something else than it says: `\\`, `//`, `.`, `..`, and a `%` that is left. */
const AMBIGUOUS = /[\\%]|\/\/|\/\.{1,2}(?:\/|$)/;
/** An escape of `/`, or of a character that needs none: routers that compare what was sent see another path than the decoded one. */
const ESCAPED_NEEDLESSLY = /%(?:2[146-9a-f]|3[0-9abd]|40|[46][1-9a-f]|[57][0-9a]|5f|7e)/i;

/**
 * Whether a path, as it was sent, is excluded by one of the patterns: exact paths, or prefixes that end in a star. One whose
 * meaning is for the router to say is never excluded: a mistake would let it through unguarded.
 */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || ESCAPED_NEEDLESSLY.test(path)) return false;
  const decoded = decode(path);
  if (decoded === undefined || !decoded.startsWith("/") || AMBIGUOUS.test(decoded)) return false;
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? decoded.startsWith(pattern.slice(0, -1)) : decoded === pattern,
  );
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
