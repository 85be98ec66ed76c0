import { setTimeout as sleep } from "node:timers/promises";
import { type Document, MongoClient, MongoNetworkError, MongoServerError } from "mongodb";
import { EmbeddedMongodError } from "./embedded-mongod-error.ts";

export const REPLICA_SET = "keysvc";
export const DATABASE = "keysvc";
const USER = "keysvc";

const NOT_AUTHENTICATED = 18;
const UNAUTHORIZED = 13;
const ALREADY_INITIALIZED = 23;
const NOT_YET_INITIALIZED = 94;
const POLL_MS = 5;

export interface ServerAccess {
  port: number;
  password: string;
}

/** The URI of the embedded database for the official drivers. */
export function uriOf({ port, password }: ServerAccess): string {
  const query = `replicaSet=${REPLICA_SET}&authSource=admin`;
  return `mongodb://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}?${query}`;
}

/**
 * Makes a mongod that listens a writable primary: on the first start it creates replica set and user, later it tells the
 * set its new port. A first start that broke off half-way is completed. Does not return before the node is primary.
 */
export async function becomePrimary(access: ServerAccess): Promise<void> {
  for (;;) {
    try {
      return await completeSet(access);
    } catch (error) {
      if (!readsItsConfig(error)) throw error;
      await sleep(POLL_MS);
    }
  }
}

/**
 * mongod listens before it has read its configuration, until then refuses to tell or change it, and closes every connection
 * when it finds that the configuration names another port. One that is gone fails otherwise: no server is found.
 */
function readsItsConfig(error: unknown): boolean {
  return (
    error instanceof MongoNetworkError || (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED)
  );
}

/** Goes on from wherever an earlier start or an earlier try has stopped. */
async function completeSet(access: ServerAccess): Promise<void> {
  const client = await connectAsUser(access);
  if (client === undefined) {
    await initiate(access);
    return;
  }
  try {
    await moveToPort(client, access.port);
    await waitUntilPrimary(client);
  } finally {
    await client.close();
  }
}

/** Whether the mongod at a port is a primary that knows the password, and so is the one of the folder that it is from. */
export async function isPrimary(access: ServerAccess): Promise<boolean> {
  let client: MongoClient | undefined;
  try {
    client = await connectAsUser(access);
    return (await client?.db("admin").command({ hello: 1 }))?.isWritablePrimary === true;
  } catch {
    // Whatever else listens there may answer anything.
    return false;
  } finally {
    await client?.close();
  }
}

/** Undefined if the user does not exist yet. */
async function connectAsUser({ port, password }: ServerAccess): Promise<MongoClient | undefined> {
  const client = directClient(port, { username: USER, password });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    if (error instanceof MongoServerError && error.code === NOT_AUTHENTICATED) return undefined;
    throw error;
  }
}

/** As long as there is no user, a connection from localhost may initiate the set and create the first one. */
async function initiate({ port, password }: ServerAccess): Promise<void> {
  const client = await directClient(port).connect();
  const admin = client.db("admin");
  try {
    await initiateOrMove(client, port);
    await waitUntilPrimary(client);
    // The database belongs to the service alone; root also lets the operator dump, restore and inspect it.
    const user = { createUser: USER, pwd: password, roles: ["root"] };
    await admin.command({ ...user, writeConcern: { w: "majority" } });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === UNAUTHORIZED)) throw error;
    throw new EmbeddedMongodError(
      'The embedded database does not accept the password in its folder. Put back the files "password" and "keyfile" ' +
        "that belong to it, or start with another KEYSVC_DATA_DIR.",
    );
  } finally {
    await client.close();
  }
}

/**
 * A first start that broke off before there was a user has left a set that names its old port, of which this node would
 * never become a member. Forced, the version of a configuration need not follow the stored one, which nobody may read yet.
 */
async function initiateOrMove(client: MongoClient, port: number): Promise<void> {
  const admin = client.db("admin");
  try {
    await admin.command({ replSetInitiate: replicaSetConfig(port, 1) });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === ALREADY_INITIALIZED)) throw error;
    await admin.command({ replSetReconfig: replicaSetConfig(port, 1), force: true });
  }
}

/** Forced, because a node whose set names another address is not a member of it and so cannot be asked as its primary. */
async function moveToPort(client: MongoClient, port: number): Promise<void> {
  const admin = client.db("admin");
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0]?.host === hostOf(port)) return;
  await admin.command({ replSetReconfig: { ...config, ...replicaSetConfig(port, config.version + 1) }, force: true });
}

function replicaSetConfig(port: number, version: number): Document {
  return { _id: REPLICA_SET, version, members: [{ _id: 0, host: hostOf(port) }] };
}

async function waitUntilPrimary(client: MongoClient): Promise<void> {
  const admin = client.db("admin");
  while ((await admin.command({ hello: 1 })).isWritablePrimary !== true) await sleep(POLL_MS);
}

function hostOf(port: number): string {
  return `127.0.0.1:${port}`;
}

function directClient(port: number, auth?: { username: string; password: string }): MongoClient {
  return new MongoClient(`mongodb://${hostOf(port)}/?directConnection=true`, {
    ...(auth === undefined ? {} : { auth, authSource: "admin" }),
    maxPoolSize: 1,
    serverSelectionTimeoutMS: 5_000,
  });
}
