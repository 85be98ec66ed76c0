import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { INDEXES, MIGRATIONS, OWNED, TIME_SERIES } from "../../src/schema.ts";

/** Collections of the installation, not of a project, or emptied by themselves within the hour. */
const UNOWNED = ["projects", "consumer_changes", "journal", "nodes"];
const COLLECTIONS = [...INDEXES, ...TIME_SERIES];
const EVERY_COLLECTION = [...COLLECTIONS.map(({ collection }) => collection), "settings"].sort();

/** The collections that the rows of a table begin with. */
function collectionsIn(table: string): string[] {
  return [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names]) => names?.match(/\w+/g) ?? []).sort();
}

describe("the schema", () => {
  it("says of every collection whether its documents belong to projects, so that a deleted one leaves nothing behind", () => {
    const known = [...OWNED.map(({ collection }) => collection), ...UNOWNED];
    expect(known.sort()).toEqual(COLLECTIONS.map(({ collection }) => collection).sort());
  });

  it.each(OWNED)("has an index that finds what a project owns in $collection", ({ collection, owner }) => {
    const indexes = COLLECTIONS.find((one) => one.collection === collection)?.indexes ?? [];
    const first = indexes.map(({ key, partialFilterExpression }) => !partialFilterExpression && Object.keys(key)[0]);
    // MongoDB itself makes the one of _id.
    expect([...first, "_id"]).toContain(owner === "meta" ? "projectId" : owner);
  });

  it.each(TIME_SERIES)("$collection can be emptied of a project: that is its meta field", ({ metaField }) => {
    expect(metaField).toBe("projectId");
  });

  it("has every collection in the table of shard keys of docs/scaling.md, with one or with a reason for none", async () => {
    const text = await readFile(new URL("../../docs/scaling.md", import.meta.url), "utf8");
    const table = text.slice(text.indexOf("| Collection | Shard key |"), text.indexOf("An upsert by `_id` alone"));
    expect(collectionsIn(table)).toEqual(EVERY_COLLECTION);
  });

  it("has every collection in the table of what is stored of docs/architecture.md", async () => {
    const text = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
    const table = text.slice(text.indexOf("## What is stored"), text.indexOf("Indexes are made at every start"));
    expect(collectionsIn(table)).toEqual(EVERY_COLLECTION);
  });

  it("numbers its migrations from 1 without a gap", () => {
    expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_migration, index) => index + 1));
  });
});
