import { createId } from "../lib/id.ts";
import type { Plan } from "../plan/plan.ts";
import type { Project } from "../project/project.ts";
import { API_NAMES, PLAN_CATALOGUE, type PlanOffer } from "./plan-catalogue.ts";
import type { SeedStore } from "./store.ts";

/** What consumers of a seeded project rest on. */
export interface PreparedProject {
  /** With their weights. */
  plans: [Plan, number][];
  apiIds: string[];
}

/** Finds the project that is meant. Throws when there is none, or more than one. */
export async function findProject(store: SeedStore, idOrName: string): Promise<Project> {
  const found = await store.findProjects(idOrName);
  const [project] = found;
  if (project === undefined) throw new Error(`there is no project ${JSON.stringify(idOrName)}`);
  if (found.length === 1) return project;
  const ids = found.map(({ _id }) => _id).join(", ");
  throw new Error(`several projects are called ${JSON.stringify(idOrName)}; choose one by its id: ${ids}`);
}

/** Gives the project the plans and APIs of the catalogue. Those that it has are taken as they are, whatever they hold. */
export async function prepareProject(
  store: SeedStore,
  projectId: string,
  createdAtMs: number,
): Promise<PreparedProject> {
  return {
    plans: await preparePlans(store, projectId, createdAtMs),
    apiIds: await prepareApis(store, projectId, createdAtMs),
  };
}

async function preparePlans(store: SeedStore, projectId: string, createdAtMs: number): Promise<[Plan, number][]> {
  const names = PLAN_CATALOGUE.map(({ name }) => name);
  const present = await store.findPlans(projectId, names);
  const added: Plan[] = [];
  const plans = PLAN_CATALOGUE.map((offer): [Plan, number] => {
    const existing = present.find(({ name }) => name === offer.name);
    if (existing !== undefined) return [existing, offer.share];
    const made = newPlan(offer, projectId, createdAtMs);
    added.push(made);
    return [made, offer.share];
  });
  await store.insertPlans(added);
  return plans;
}

function newPlan({ name, credits, rateLimit }: PlanOffer, projectId: string, createdAtMs: number): Plan {
  const createdAt = new Date(createdAtMs);
  return {
    _id: createId("plan", createdAtMs),
    projectId,
    name,
    credits,
    rateLimit,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
    application: null,
  };
}

async function prepareApis(store: SeedStore, projectId: string, createdAtMs: number): Promise<string[]> {
  const present = await store.findApis(projectId, API_NAMES);
  const createdAt = new Date(createdAtMs);
  const added = API_NAMES.filter((name) => !present.some((api) => api.name === name)).map((name) => {
    return { _id: createId("api", createdAtMs), projectId, name, createdAt, updatedAt: createdAt };
  });
  await store.insertApis(added);
  const apis = [...present, ...added];
  // The first of each name, in the order of the catalogue: the same seed then means the same APIs in every run.
  return API_NAMES.flatMap((name) => apis.find((api) => api.name === name)?._id ?? []);
}
