import type { Db, Document } from "mongodb";
import type { Page } from "../lib/page.ts";
import { bytes } from "../mongo/bytes.ts";
import type { Change } from "../mongo/change.ts";
import { databaseNow } from "../mongo/database-time.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Credential, Project } from "./project.ts";

export const projectIndexes: CollectionIndexes[] = [
  { collection: "projects", indexes: [{ name: "deleted", key: { deletedAt: 1, _id: 1 } }] },
  {
    collection: "credentials",
    indexes: [
      { name: "hash", key: { hash: 1 }, unique: true },
      { name: "previous_hash", key: { "previous.hash": 1 } },
      { name: "project", key: { projectId: 1, _id: 1 } },
    ],
  },
];

interface DefaultProject {
  _id: "defaultProject";
  projectId: string;
}

/** What a credential has besides its previous values: a projection that computes one field leaves out what it does not name. */
const OTHER_FIELDS = { projectId: 1, name: 1, hash: 1, lastSix: 1, scopes: 1, createdAt: 1 } as const satisfies Record<
  Exclude<keyof Credential, "_id" | "previous">,
  1
>;

/** A collection whose documents belong to projects. */
export interface OwnedCollection {
  collection: string;
  /**
   * Where a document names its project: in a field, before the first colon of its id, or in the field `projectId` that is
   * the meta field of a time-series. An index begins with it.
   */
  owner: "projectId" | "_id" | "meta";
  /** Which documents are left alone: they change, and are removed after that. */
  isKept?: Document;
}

export interface ProjectStore {
  insert(change: Change, project: Project, credential: Credential): Promise<void>;
  /** Projects that are not deleted, newest first, and how many there are. */
  list(page: Page): Promise<{ total: number; projects: Project[] }>;
  /** Marks the project of a change as deleted and removes its credentials. @returns false when there is none */
  markDeleted(change: Change): Promise<boolean>;
  /** Projects that are marked and not dropped yet. */
  findDeleted(): Promise<Project[]>;
  /** Removes up to `count` documents of a deleted project, of a time-series all, and answers how many it removed. */
  removeOwned(owned: OwnedCollection, projectId: string, count: number): Promise<number>;
  /** Drops a deleted project, which owns nothing any more. */
  drop(projectId: string): Promise<void>;
  /** The id of the project that the first start made, deleted or not; undefined before. */
  findDefaultProject(): Promise<string | undefined>;
  /** Whether there is a project, and it is not deleted. */
  exists(projectId: string): Promise<boolean>;
  /** Makes the default project. @returns false when another node was faster */
  insertDefault(change: Change, project: Project, credential: Credential): Promise<boolean>;
  /** The credential with this HMAC, of its value or of one that is in grace; undefined when there is none. */
  findCredential(hash: Buffer): Promise<Credential | undefined>;
  /** The credentials with these HMACs, of their values or of ones that are in grace, by HMAC in latin1. */
  findCredentials(hashes: readonly Buffer[]): Promise<Map<string, Credential>>;
  /**
   * Takes the project of a change, the first operation of every change of its credentials: one after another, so that each
   * sees what the one before has left. @returns false when it is deleted
   */
  lock(change: Change): Promise<boolean>;
  insertCredential(change: Change, credential: Credential): Promise<void>;
  /** A credential of the project, read within the change; undefined when there is none. */
  findCredentialOf(change: Change, credentialId: string): Promise<Credential | undefined>;
  saveCredential(change: Change, credential: Credential): Promise<void>;
  removeCredential(change: Change, credentialId: string): Promise<void>;
  /** Whether the project has another credential that may manage it. */
  hasOtherManager(change: Change, credentialId: string): Promise<boolean>;
  /** Credentials of a project, newest first, and how many there are. */
  listCredentials(projectId: string, page: Page): Promise<{ total: number; credentials: Credential[] }>;
}

export function createProjectStore(db: Db, clockOffsetMs: number): ProjectStore {
  const projects = db.collection<Project>("projects");
  const credentials = db.collection<Credential>("credentials");
  const settings = db.collection<DefaultProject>("settings");

  async function findCredentials(hashes: readonly Buffer[]): Promise<Map<string, Credential>> {
    const wanted = { $in: [...hashes] };
    // A grace ends by the database's clock. Served by the indexes hash and previous_hash.
    const found = await credentials
      .find(
        { $or: [{ hash: wanted }, { "previous.hash": wanted }] },
        { projection: { ...OTHER_FIELDS, previous: { $filter: inGrace(databaseNow(clockOffsetMs)) } } },
      )
      .toArray();
    const byHash = new Map<string, Credential>();
    for (const credential of found) {
      for (const { hash } of [credential, ...credential.previous]) {
        byHash.set(bytes(hash).toString("latin1"), credential);
      }
    }
    return byHash;
  }

  const insert: ProjectStore["insert"] = async ({ session }, project, credential) => {
    await projects.insertOne(project, { session });
    await credentials.insertOne(credential, { session });
  };

  return {
    insert,
    async list({ skip, limit }) {
      // Both served by the index deleted, the page in order.
      const [total, found] = await Promise.all([
        projects.countDocuments({ deletedAt: null }),
        projects.find({ deletedAt: null }).sort({ _id: -1 }).skip(skip).limit(limit).toArray(),
      ]);
      return { total, projects: found };
    },
    async markDeleted({ actor: { projectId }, session, nowMs }) {
      // Changes of its credentials wait for it, and find the mark. Served by _id.
      const { matchedCount } = await projects.updateOne(
        { _id: projectId, deletedAt: null },
        { $set: { deletedAt: new Date(nowMs) }, $inc: { revision: 1 } },
        { session },
      );
      if (matchedCount === 0) return false;
      // Served by the index project.
      await credentials.deleteMany({ projectId }, { session });
      return true;
    },
    findDeleted() {
      // Served by the index deleted.
      return projects.find({ deletedAt: { $type: "date" } }).toArray();
    },
    async removeOwned({ collection, owner, isKept }, projectId, count) {
      // Of a time-series, a whole project at once: MongoDB 6.0 can do no less. Served by the index project.
      if (owner === "meta") return (await db.collection(collection).deleteMany({ projectId })).deletedCount;
      // Served by the collection's index that begins with projectId, or by _id.
      const ofProject = owner === "projectId" ? { projectId } : { _id: prefixedBy(`${projectId}:`) };
      const removable = isKept === undefined ? {} : { $nor: [isKept] };
      const owned = db.collection(collection);
      const found = await owned
        .find<Document>({ ...ofProject, ...removable }, { projection: { _id: 1 } })
        .limit(count)
        .toArray();
      if (found.length === 0) return 0;
      // Served by _id. Another node may be at it too: then less is left to remove.
      await owned.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...removable });
      return found.length;
    },
    async drop(projectId) {
      // Served by _id.
      await projects.deleteOne({ _id: projectId, deletedAt: { $type: "date" } });
    },
    async findDefaultProject() {
      // Served by _id.
      return (await settings.findOne({ _id: "defaultProject" }))?.projectId;
    },
    async exists(projectId) {
      // Served by _id.
      return (await projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } })) !== null;
    },
    async insertDefault(change, project, credential) {
      // Two nodes that start at once conflict here: one retries, and finds the project of the other. Served by _id.
      const { upsertedCount } = await settings.updateOne(
        { _id: "defaultProject" },
        { $setOnInsert: { projectId: project._id } },
        { upsert: true, session: change.session },
      );
      if (upsertedCount === 0) return false;
      await insert(change, project, credential);
      return true;
    },
    async findCredential(hash) {
      return (await findCredentials([hash])).get(hash.toString("latin1"));
    },
    findCredentials,
    async lock({ actor: { projectId }, session }) {
      // Served by _id.
      const { matchedCount } = await projects.updateOne(
        { _id: projectId, deletedAt: null },
        { $inc: { revision: 1 } },
        { session },
      );
      return matchedCount === 1;
    },
    async insertCredential({ session }, credential) {
      await credentials.insertOne(credential, { session });
    },
    async findCredentialOf({ actor: { projectId }, session }, credentialId) {
      // Served by _id.
      return (await credentials.findOne({ _id: credentialId, projectId }, { session })) ?? undefined;
    },
    async saveCredential({ session }, credential) {
      // As a whole: since lock(), nobody else has written it. Served by _id.
      await credentials.replaceOne({ _id: credential._id }, credential, { session });
    },
    async removeCredential({ actor: { projectId }, session }, credentialId) {
      // Served by _id.
      await credentials.deleteOne({ _id: credentialId, projectId }, { session });
    },
    async hasOtherManager({ actor: { projectId }, session }, credentialId) {
      // Served by the index project.
      const other = { projectId, _id: { $ne: credentialId }, scopes: "manage" as const };
      return (await credentials.findOne(other, { session, projection: { _id: 1 } })) !== null;
    },
    async listCredentials(projectId, { skip, limit }) {
      // Both served by the index project, the page in order.
      const [total, found] = await Promise.all([
        credentials.countDocuments({ projectId }),
        credentials.find({ projectId }).sort({ _id: -1 }).skip(skip).limit(limit).toArray(),
      ]);
      return { total, credentials: found };
    },
  };
}

/** Texts that begin with a prefix: from it up to the same with its last character replaced by the next. */
function prefixedBy(prefix: string): Document {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { $gte: prefix, $lt: prefix.slice(0, -1) + String.fromCharCode(last + 1) };
}

/** Of the values that were rotated away, those that are good at `now`. */
function inGrace(now: Document): Document {
  return { input: "$previous", as: "value", cond: { $gt: [{ $toDouble: "$$value.validUntil" }, now] } };
}
