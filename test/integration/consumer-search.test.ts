import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const name of NAMES) await service.ok("/consumer/create", { name });
});
afterAll(() => service.close());

const LONG = `${"long ".repeat(2_000)}needle${" and more".repeat(200)}`;
const NAMES = [
  LONG,
  ".*",
  "a+b",
  "[ab]",
  "^start$",
  "back\\slash",
  "(group)",
  "a|b",
  "100%_",
  "$where",
  '"quoted"',
  "naïve ÇA",
  "日本語",
  "🗝🔑",
  "tab\there",
  "NUL\0here",
  "Große STRAẞE",
  // The signs of Kelvin, Ohm and Ångström.
  "300 \u212a, 5 \u2126, 1 \u212b",
  "İzmir",
  "ΟΔΟΣ, οδός",
];

/** The names of those that a search finds. */
async function finds(search: string): Promise<string[]> {
  const { consumers } = await service.ok("/consumer/list", { search, limit: 200 });
  return consumers.map(({ name }: { name: string }) => name);
}

describe("the search of /consumer/list", () => {
  it.each([
    ".*",
    "A+B",
    "[AB]",
    "^START$",
    "BACK\\",
    "(g",
    "A|b",
    "100%_",
    "$WHERE",
    '"QUOTED"',
    "NAÏVE ça",
    "本",
    "🔑",
    "B\tH",
    "l\0h",
  ])("takes %j as the text that it is, in any case", async (search) => {
    const found = await finds(search);
    expect(found).toHaveLength(1);
    expect(found[0]?.toUpperCase()).toContain(search.toUpperCase());
  });

  it.each([
    ["Große STRAẞE", ["große straße", "GROSSE STRASSE", "GROẞE STRAẞE"]],
    ["300 \u212a, 5 \u2126, 1 \u212b", ["300 k", "300 K", "5 ω", "5 Ω", "1 å", "1 Å"]],
    ["İzmir", ["i\u0307zm", "I\u0307ZM"]],
    ["ΟΔΟΣ, οδός", ["οδος", "οδοσ", "ΟΔΌΣ"]],
  ])("finds %j by each form of its letters", async (name, searches) => {
    for (const search of [name, ...searches]) expect(await finds(search), search).toContain(name);
  });

  it("finds a part of a name of 10 kB, and the whole of it", async () => {
    for (const search of ["NEEDLE", "long needle and", LONG, LONG.toUpperCase()])
      expect(await finds(search)).toEqual([LONG]);
    expect(await finds(`${LONG}.`)).toEqual([]);
  });

  it.each(["", "consumer_", "CONSUMER_"])("finds everybody by %j, which every consumerId has", async (search) => {
    expect(await finds(search)).toHaveLength(NAMES.length);
  });

  it.each(["needle\n", ".", "a.b", "%", "null", "undefined", "active", "{}"])(
    "finds by name and id alone: %j",
    async (search) => {
      const found = await finds(search);
      for (const name of found) expect(name.toUpperCase()).toContain(search.toUpperCase());
      expect(found.length).toBeLessThan(3);
    },
  );
});
