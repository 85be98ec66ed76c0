import { randomBytes } from "node:crypto";
import type { Binary, Db } from "mongodb";
import { bytes } from "../mongo/bytes.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import { createDataKey, createKeyring, type Keyring, unwrapDataKey, wrapDataKey } from "./keyring.ts";

interface WrappedDataKey {
  _id: "dataKey";
  salt: Binary | Buffer;
  wrapped: Binary | Buffer;
}

const SALT_BYTES = 16;

/** The master secret is not the one that this database was made with. */
export class WrongSecretError extends Error {
  constructor() {
    super(
      "KEYSVC_SECRET is not the secret that this database was made with, so no key or credential in it could be read. " +
        "Set the right one; to change it, set the old one as KEYSVC_SECRET_PREVIOUS for one start.",
    );
  }
}

/**
 * Unwraps the data key of the database with the master secret, and makes one in a new database. With a previous secret, a
 * data key that it wraps is wrapped anew. Nodes may do so at once. Throws a WrongSecretError.
 */
export async function openKeyring(db: Db, secret: string, previousSecret: string | undefined): Promise<Keyring> {
  const settings = db.collection<WrappedDataKey>("settings");
  // Served by _id.
  const stored = (await settings.findOne({ _id: "dataKey" })) ?? (await makeDataKey(db, secret));
  const salt = bytes(stored.salt);
  const wrapped = bytes(stored.wrapped);
  const dataKey = tryUnwrap(wrapped, secret, salt);
  if (dataKey !== undefined) return createKeyring(dataKey);
  const previous = previousSecret === undefined ? undefined : tryUnwrap(wrapped, previousSecret, salt);
  if (previous === undefined) throw new WrongSecretError();
  // Only if no other node has wrapped it anew meanwhile; what it wraps stays the same. Served by _id.
  const rewrapped = wrapDataKey(previous, secret, salt);
  await settings.updateOne({ _id: "dataKey", wrapped: stored.wrapped }, { $set: { wrapped: rewrapped } });
  return createKeyring(previous);
}

/** Whether a secret opens the data key of the database; undefined: there is none yet. Changes nothing. */
export async function opensDataKey(db: Db, secret: string): Promise<boolean | undefined> {
  // Served by _id.
  const stored = await db.collection<WrappedDataKey>("settings").findOne({ _id: "dataKey" });
  return stored === null ? undefined : tryUnwrap(bytes(stored.wrapped), secret, bytes(stored.salt)) !== undefined;
}

/** Inserts a data key unless another node was faster, and answers the one that is there. */
async function makeDataKey(db: Db, secret: string): Promise<WrappedDataKey> {
  const settings = db.collection<WrappedDataKey>("settings");
  const salt = randomBytes(SALT_BYTES);
  const made = { _id: "dataKey" as const, salt, wrapped: wrapDataKey(createDataKey(), secret, salt) };
  try {
    await settings.insertOne(made);
    return made;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const stored = await settings.findOne({ _id: "dataKey" });
  if (stored === null) throw new Error("the data key vanished while the service started");
  return stored;
}

function tryUnwrap(wrapped: Buffer, secret: string, salt: Buffer): Buffer | undefined {
  try {
    return unwrapDataKey(wrapped, secret, salt);
  } catch {
    // GCM's tag does not fit: another secret.
    return undefined;
  }
}
