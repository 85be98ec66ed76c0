import { type Db, type Document, MongoClient } from "mongodb";
import type { TestService } from "./service.ts";
import { untilDrained } from "./until-drained.ts";

/** The database of a service, for what it has recorded. */
export interface TrafficReader {
  db: Db;
  /** Events of api_traffic, once the journal is drained, in the order of their times. */
  find(filter?: object): Promise<Document[]>;
  close(): Promise<void>;
}

export async function openTrafficReader({ databaseUri }: Pick<TestService, "databaseUri">): Promise<TrafficReader> {
  const client = await MongoClient.connect(databaseUri);
  const db = client.db();
  return {
    db,
    async find(filter = {}) {
      await untilDrained(db);
      return db.collection("api_traffic").find(filter).project({ _id: 0 }).sort({ at: 1, requestId: 1 }).toArray();
    },
    close: () => client.close(),
  };
}
