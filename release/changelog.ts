/** The heading of what is not released yet. */
const UNRELEASED = "## [Unreleased]";

/**
 * Makes a version of what is not released yet, under a date such as `2026-11-21`; what comes after it begins with nothing.
 *
 * @throws when there is nothing to release, or the version is there already
 */
export function withRelease(changelog: string, version: string, date: string): string {
  if (changelog.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has ${version} already`);
  if (!/^[-*] /m.test(unreleasedOf(changelog))) throw new Error("CHANGELOG.md has nothing under [Unreleased]");
  return changelog.replace(UNRELEASED, () => `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

function unreleasedOf(changelog: string): string {
  const [, after] = changelog.split(`${UNRELEASED}\n`);
  if (after === undefined) throw new Error(`CHANGELOG.md has no line ${UNRELEASED}`);
  return after.split(/^## /m)[0] ?? "";
}
