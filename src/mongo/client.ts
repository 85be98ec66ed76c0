import { type Db, MongoClient } from "mongodb";
import { type CommandObserver, watchCommands } from "./watch-commands.ts";

/** How long to look for a primary: longer than an election usually takes, short enough for callers that wait. */
const SERVER_SELECTION_TIMEOUT_MS = 2_000;
/** A connection that hangs is given up, so that a database that stopped answering does not use up the pool. */
const SOCKET_TIMEOUT_MS = 10_000;
const DATABASE_DEFAULT = "keysvc";

export interface Database {
  /** With its password: never to be shown. */
  uri: string;
  client: MongoClient;
  db: Db;
  /** Calls back when another server is the primary, before anything is sent to it. */
  onPrimaryChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Gives up connections that do not answer; off for work that takes long, such as building indexes. */
  giveUpHangingSockets: boolean;
  /** Are told of every command. */
  observers?: readonly CommandObserver[];
}

/**
 * Connects to MongoDB. Writes are acknowledged by a majority, so that a failover loses none that was answered. Rejects with
 * an error of the driver when there is no primary.
 */
export async function connectDatabase(
  uri: string,
  { giveUpHangingSockets, observers = [] }: ConnectOptions,
): Promise<Database> {
  const client = new MongoClient(uri, {
    appName: "keysvc",
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    connectTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    ...(giveUpHangingSockets && { socketTimeoutMS: SOCKET_TIMEOUT_MS }),
    monitorCommands: observers.length > 0,
    writeConcern: { w: "majority" },
    // Whatever the URI says: a secondary may not know yet what was revoked or spent.
    readPreference: "primary",
  });
  if (observers.length > 0) watchCommands(client, observers);
  // The path of the URI names the database; the driver's own default would be `test`.
  const db = client.db(databaseName(uri));
  try {
    await db.command({ ping: 1 });
  } catch (error) {
    await client.close();
    throw error;
  }
  const onPrimaryChange = (listener: () => void) => {
    let primary: string | undefined;
    client.on("topologyDescriptionChanged", ({ newDescription: { servers } }) => {
      const found = [...servers.values()].find(({ type }) => type === "RSPrimary" || type === "Mongos");
      // The election's id is another for each term, also when the same server is elected again.
      const name = found && `${found.address} ${found.electionId?.toHexString() ?? ""}`;
      if (name === undefined || name === primary) return;
      primary = name;
      listener();
    });
  };
  return { uri, client, db, onPrimaryChange, close: () => client.close() };
}

function databaseName(uri: string): string {
  const path = /^[^/]+\/\/[^/?]+\/([^?]*)/.exec(uri)?.[1] ?? "";
  return path === "" ? DATABASE_DEFAULT : decodeURIComponent(path);
}
