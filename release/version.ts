/** The parts of a version such as `1.2.3` or `1.2.3-rc.1`; undefined: it is none. */
function partsOf(version: string): { numbers: number[]; pre: string } | undefined {
  const [, major, minor, patch, pre = ""] =
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([\w.]+))?$/.exec(version) ?? [];
  return major === undefined ? undefined : { numbers: [major, minor, patch].map(Number), pre };
}

/**
 * Whether a version comes after another, by semantic versioning.
 *
 * @throws when one of them is no version
 */
export function isAfter(version: string, other: string): boolean {
  const [one, two] = [partsOf(version), partsOf(other)];
  if (one === undefined || two === undefined) throw new Error(`${one ? other : version} is no version such as 1.2.3`);
  const difference = one.numbers.map((number, index) => number - (two.numbers[index] ?? 0)).find((by) => by !== 0) ?? 0;
  if (difference !== 0) return difference > 0;
  // What comes before a release is named by what follows the hyphen; the release itself has none.
  if (one.pre === "" || two.pre === "") return one.pre === "" && two.pre !== "";
  return one.pre.localeCompare(two.pre, "en", { numeric: true }) > 0;
}
