import type { CreateCollectionOptions, Db } from "mongodb";

/** Copies a database into one that is new, as a dump and its restore do: documents and indexes of every collection, time-series by their events. */
export async function copyDatabase(from: Db, to: Db): Promise<void> {
  const collections = await from.listCollections({}, { nameOnly: false }).toArray();
  for (const { name, options } of collections.filter(({ name }) => !name.startsWith("system."))) {
    // What the server says of a collection is what it makes one by.
    await to.createCollection(name, options as CreateCollectionOptions);
    const documents = await from.collection(name).find().toArray();
    if (documents.length > 0) await to.collection(name).insertMany(documents);
    const indexes = await from.collection(name).indexes();
    for (const { key, v: _version, ...index } of indexes.filter((one) => one.name !== "_id_")) {
      await to.collection(name).createIndex(key, index);
    }
  }
}
