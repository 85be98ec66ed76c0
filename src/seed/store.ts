import type { Binary, Db } from "mongodb";
import type { Api } from "../api/api.ts";
import type { Consumer } from "../consumer/consumer.ts";
import type { Key } from "../key/key.ts";
import type { Plan } from "../plan/plan.ts";
import type { Project } from "../project/project.ts";

/** Consumers with all of their keys. */
export interface Batch {
  consumers: Consumer[];
  keys: Key[];
}

export interface SeedStore {
  /** Projects with this id or name. */
  findProjects(idOrName: string): Promise<Project[]>;
  /** Plans of the project with these names, oldest first. */
  findPlans(projectId: string, names: readonly string[]): Promise<Plan[]>;
  /** APIs of the project with these names, oldest first. */
  findApis(projectId: string, names: readonly string[]): Promise<Api[]>;
  insertPlans(plans: readonly Plan[]): Promise<void>;
  insertApis(apis: readonly Api[]): Promise<void>;
  /** Inserts keys, then their consumers: whenever it ends, each consumer that is there has all of its keys. */
  insertBatch(batch: Batch): Promise<void>;
}

export function createSeedStore(db: Db): SeedStore {
  const projects = db.collection<Project>("projects");
  const plans = db.collection<Plan>("plans");
  const apis = db.collection<Api>("apis");
  const consumers = db.collection<Consumer>("consumers");
  const keys = db.collection<Key>("keys");
  return {
    findProjects(idOrName) {
      // A scan: projects are few.
      return projects.find({ $or: [{ _id: idOrName }, { name: idOrName }], deletedAt: null }).toArray();
    },
    findPlans(projectId, names) {
      // Served by the index project, in order; a project has few.
      return plans
        .find({ projectId, name: { $in: [...names] } })
        .sort({ _id: 1 })
        .toArray();
    },
    findApis(projectId, names) {
      // Served by the index project, in order; a project has few.
      return apis
        .find({ projectId, name: { $in: [...names] } })
        .sort({ _id: 1 })
        .toArray();
    },
    async insertPlans(added) {
      if (added.length > 0) await plans.insertMany([...added]);
    },
    async insertApis(added) {
      if (added.length > 0) await apis.insertMany([...added]);
    },
    async insertBatch(batch) {
      // Acknowledged by a majority, so that what is counted is kept, whatever happens to the primary. In the order of
      // the index hash: it grows everywhere at once, and so each of its pages is touched once in a batch.
      if (batch.keys.length > 0) await keys.insertMany(batch.keys.toSorted(byHash), { ordered: false });
      await consumers.insertMany(batch.consumers, { ordered: false });
    },
  };
}

function byHash({ hash: one }: Key, { hash: other }: Key): number {
  return Buffer.compare(bytesOf(one), bytesOf(other));
}

function bytesOf(hash: Binary | Buffer): Uint8Array {
  return Buffer.isBuffer(hash) ? hash : hash.buffer;
}
