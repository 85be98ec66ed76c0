import type { Binary } from "mongodb";
import type { Scope } from "../../gen/gateway.js";

/** A project as it is stored, in the collection `projects`. It owns everything else. */
export interface Project {
  _id: string;
  name: string;
  createdAt: Date;
}

/** A credential of a project as it is stored, in the collection `credentials`: of its value, only the HMAC. */
export interface Credential {
  _id: string;
  projectId: string;
  name: string | null;
  hash: Binary | Buffer;
  /** The end of the value, for recognising it. */
  lastSix: string;
  scopes: Scope[];
  createdAt: Date;
}

/** Every scope that a project credential can have, and what it has by default. */
export const PROJECT_SCOPES: readonly Scope[] = ["manage", "read", "validate", "ingest"];

/** The project that exists from the first start. */
export const DEFAULT_PROJECT = "default";
