/** A media range of Accept (RFC 9110, section 12.5.1). */
interface Range {
  /** `type/subtype`, where both or the second may be a star. */
  name: string;
  /** Besides q, as `name=value`. */
  parameters: string[];
  /** From 0 to 1; 0: not acceptable. */
  quality: number;
}

/** How well a type is accepted. */
interface Rank {
  quality: number;
  specificity: number;
  /** The place of the range in Accept. */
  place: number;
}

/** What is between commas or semicolons, but for those in quotes. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const PART = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/g;
const RANGE_NAME = /^(?:\*\/\*|[^\s/*]+\/(?:\*|[^\s/*]+))$/;
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the content type that a caller likes best: by quality, then by how exactly it is named, then by its place in
 * Accept, then in the order offered.
 *
 * @param accept the header; undefined or empty: anything will do
 * @param offered `type/subtype` with parameters after semicolons, in lower case, the default first
 * @returns one of those offered; undefined: none of them is acceptable
 */
export function chooseType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === "") return offered[0];
  const ranges = (accept.match(ELEMENT) ?? []).flatMap((element) => readRange(element) ?? []);
  const ranked = offered.flatMap((type) => {
    const rank = rankOf(type, ranges);
    return rank === undefined || rank.quality === 0 ? [] : [{ type, ...rank }];
  });
  // Sorting keeps the order of equals.
  ranked.sort((a, b) => b.quality - a.quality || b.specificity - a.specificity || a.place - b.place);
  return ranked[0]?.type;
}

function readRange(element: string): Range | undefined {
  const [name = "", ...parts] = (element.match(PART) ?? []).map(tidy);
  if (!RANGE_NAME.test(name)) return undefined;
  const weight = parts.findIndex((part) => part.startsWith("q="));
  if (weight < 0) return { name, parameters: parts, quality: 1 };
  const quality = QUALITY.exec(parts[weight] ?? "")?.[1];
  return quality === undefined ? undefined : { name, parameters: parts.slice(0, weight), quality: Number(quality) };
}

/** Names, and the values that are compared here, are the same in capitals, around blanks and in quotes. */
function tidy(part: string): string {
  return part
    .trim()
    .toLowerCase()
    .replace(/\s*=\s*/, "=")
    .replace(/="(.*)"$/, "=$1");
}

/** By the range that names the type most exactly. */
function rankOf(offer: string, ranges: readonly Range[]): Rank | undefined {
  const [type = "", ...known] = offer.split(";").map(tidy);
  let best: Rank | undefined;
  for (const [place, { name, parameters, quality }] of ranges.entries()) {
    const isNamed = name === type || name === "*/*" || name === `${type.split("/", 1)[0]}/*`;
    if (!isNamed || !parameters.every((parameter) => known.includes(parameter))) continue;
    const specificity = (name === type ? 2 : name === "*/*" ? 0 : 1) + parameters.length;
    if (best === undefined || specificity > best.specificity) best = { quality, specificity, place };
  }
  return best;
}
