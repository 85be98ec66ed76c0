import type { ListQuery } from "./listing.ts";

/** What the worker is started with. */
export interface WorkerOptions {
  /** With its password: never to be shown. */
  mongodbUri: string;
  clockOffsetMs: number;
}

/** What is asked of the worker: a page of a list, or to load what would make the first caller wait. */
export type Request = { kind: "list"; projectId: string; query: ListQuery } | { kind: "preload" };
