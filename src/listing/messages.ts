import type { Fault } from "../lib/fault.ts";
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

/** A fault on its way between threads. */
export type TransferredFault = Pick<Fault, "reason" | "detail" | "retryAfterSeconds">;

/** What the worker answers. An error is a text for the log; `fault` is what the caller is told of it, if not that it is internal. */
export type Response =
  | { id: number; page: ListPage }
  | { id: number; error: string; fault: TransferredFault | undefined };
