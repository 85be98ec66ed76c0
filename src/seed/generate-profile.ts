import type { Consumer } from "../consumer/consumer.ts";
import type { SeededRandom } from "../lib/seeded-random.ts";
import { happens, pick } from "./pick.ts";
import {
  COMPANIES_OF_OTHER_SCRIPTS,
  COMPANY_FIRSTS,
  COMPANY_SECONDS,
  FIRST_NAMES,
  LAST_NAMES,
  LEGAL_FORMS,
  PEOPLE_OF_OTHER_SCRIPTS,
  TAGS,
} from "./words.ts";

/** What the caller of the API has told of a consumer, and the service only keeps. */
export type Profile = Pick<Consumer, "name" | "imageUrl" | "externalId" | "metadata" | "tags">;

type NameKind = "company" | "person" | "otherCompany" | "otherPerson" | "long" | "none";

const NAME_KINDS: readonly (readonly [NameKind, number])[] = [
  ["company", 58],
  ["person", 27],
  ["otherCompany", 6],
  ["otherPerson", 4],
  ["long", 1],
  ["none", 4],
];
const REGIONS = ["eu-west", "eu-north", "us-east", "us-west", "ap-south", "sa-east"] as const;
const SEGMENTS = ["hobby", "startup", "mid-market", "enterprise"] as const;
/** Departments in a long name, each about 30 characters. */
const LONG_NAME_PARTS_MAX = 20;

/** Makes a profile such as a project's own database of customers might have. */
export function generateProfile(random: SeededRandom): Profile {
  return {
    name: generateName(random),
    imageUrl: happens(random, 0.4) ? `https://images.example.com/avatars/${hexadecimal(random)}.png` : null,
    externalId: happens(random, 0.7) ? `cus_${hexadecimal(random)}${hexadecimal(random)}` : null,
    metadata: JSON.stringify(generateMetadata(random)),
    tags: generateTags(random),
  };
}

function generateName(random: SeededRandom): string | null {
  switch (random.weighted(NAME_KINDS)) {
    case "company":
      return companyName(random);
    case "person":
      return `${pick(random, FIRST_NAMES)} ${pick(random, LAST_NAMES)}`;
    case "otherCompany":
      return `${pick(random, COMPANIES_OF_OTHER_SCRIPTS)} ${random.integer(1, 999)}`;
    case "otherPerson":
      return pick(random, PEOPLE_OF_OTHER_SCRIPTS);
    case "long":
      return longName(random);
    case "none":
      return null;
  }
}

function companyName(random: SeededRandom): string {
  const name = `${pick(random, COMPANY_FIRSTS)} ${pick(random, COMPANY_SECONDS)}`;
  return happens(random, 0.4) ? `${name} ${pick(random, LEGAL_FORMS)}` : name;
}

function longName(random: SeededRandom): string {
  const parts = Array.from({ length: random.integer(6, LONG_NAME_PARTS_MAX) }, () => companyName(random));
  return `Joint Purchasing Association of ${parts.join(", ")}`;
}

function generateMetadata(random: SeededRandom): Record<string, unknown> {
  if (happens(random, 0.3)) return {};
  return {
    segment: pick(random, SEGMENTS),
    region: pick(random, REGIONS),
    seats: Math.ceil(500 * random.fraction() ** 4) || 1,
    ...(happens(random, 0.2) && { contact: { email: `ops+${hexadecimal(random)}@example.com`, phone: null } }),
    ...(happens(random, 0.05) && { "größe.€": "mittel", $plan: ["a", 1, true] }),
  };
}

function generateTags(random: SeededRandom): string[] {
  const count = random.weighted([
    [0, 40],
    [1, 30],
    [2, 20],
    [3, 10],
  ]);
  return [...new Set(Array.from({ length: count }, () => pick(random, TAGS)))];
}

function hexadecimal(random: SeededRandom): string {
  return random
    .integer(0, 2 ** 32 - 1)
    .toString(16)
    .padStart(8, "0");
}
