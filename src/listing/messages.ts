import type { ListPage, ListQuery } from "./listing.ts";

/** What the worker is started with. */
export interface WorkerOptions {
  /** With its password: never to be shown. */
  mongodbUri: string;
  clockOffsetMs: number;
}

/** What is asked of the worker. */
export type Request =
  | { kind: "list"; id: number; projectId: string; query: ListQuery }
  /** Load what would make the first caller wait. Nothing is answered. */
  | { kind: "preload" };

/** What the worker answers. An error is a text for the log; `isUnavailable`: the database is out of reach. */
export type Response = { id: number; page: ListPage } | { id: number; error: string; isUnavailable: boolean };
