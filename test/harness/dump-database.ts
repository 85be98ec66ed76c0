import { Binary, MongoClient } from "mongodb";

/** Everything that a database has, as one text: every document of every collection, bytes as characters. */
export async function dumpDatabase(databaseUri: string): Promise<string> {
  const client = await MongoClient.connect(databaseUri);
  const parts: string[] = [];
  for (const { name } of await client.db().listCollections().toArray()) {
    // Of a time-series, the buckets are what is stored, and cannot all be read; its documents can.
    if (name.startsWith("system.")) continue;
    for await (const document of client.db().collection(name).find()) parts.push(`${name} ${textOf(document)}`);
  }
  await client.close();
  return parts.join("\n");
}

/** Values of a document, their names too, without escapes that could hide a text. */
function textOf(value: unknown): string {
  if (value instanceof Binary) return Buffer.from(value.buffer).toString("latin1");
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.entries(value)
      .map(([name, inner]) => `${name}=${textOf(inner)}`)
      .join(" ");
  return String(value);
}
