import type { Db, MongoClient } from "mongodb";
import { runTransaction } from "../mongo/run-transaction.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Credential, Project } from "./project.ts";

export const projectIndexes: CollectionIndexes[] = [
  {
    collection: "credentials",
    indexes: [
      { name: "hash", key: { hash: 1 }, unique: true },
      { name: "project", key: { projectId: 1, _id: 1 } },
    ],
  },
];

interface DefaultProject {
  _id: "defaultProject";
  projectId: string;
}

export interface ProjectStore {
  /** Both or neither. */
  insert(project: Project, credential: Credential): Promise<void>;
  findCredential(hash: Buffer): Promise<Credential | undefined>;
  /** The id of the project that the first start made; undefined before. */
  findDefaultProject(): Promise<string | undefined>;
  /** Makes the default project, both or neither. @returns false when another node was faster */
  insertDefault(project: Project, credential: Credential): Promise<boolean>;
}

export function createProjectStore(client: MongoClient, db: Db): ProjectStore {
  const projects = db.collection<Project>("projects");
  const credentials = db.collection<Credential>("credentials");
  const settings = db.collection<DefaultProject>("settings");
  return {
    async insert(project, credential) {
      await runTransaction(client, async (session) => {
        await projects.insertOne(project, { session });
        await credentials.insertOne(credential, { session });
      });
    },
    async findCredential(hash) {
      // Served by the index hash.
      return (await credentials.findOne({ hash })) ?? undefined;
    },
    async findDefaultProject() {
      // Served by _id.
      return (await settings.findOne({ _id: "defaultProject" }))?.projectId;
    },
    insertDefault(project, credential) {
      return runTransaction(client, async (session) => {
        // Two nodes that start at once conflict here: one retries, and finds the project of the other. Served by _id.
        const { upsertedCount } = await settings.updateOne(
          { _id: "defaultProject" },
          { $setOnInsert: { projectId: project._id } },
          { upsert: true, session },
        );
        if (upsertedCount === 0) return false;
        await projects.insertOne(project, { session });
        await credentials.insertOne(credential, { session });
        return true;
      });
    },
  };
}
