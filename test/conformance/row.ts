import type { JsonObject } from "@bufbuild/protobuf";
import type { TestService } from "../harness/service.ts";
import type { World } from "./world.ts";

export interface Row {
  /** A request that breaks field rules, and the fields that must be named for it, in this order. */
  broken: { request: JsonObject; fields: string[] };
  good: (world: World) => JsonObject;
  /** A good request for one call alone, for what can be done only once to the same thing. Absent: `good` does for all. */
  fresh?: (service: TestService, world: World) => Promise<JsonObject>;
  /**
   * The fields of the response that differ from call to call, each with the form it must have; all others must be the
   * same in every protocol. `key.updatedAt` is a field of a field.
   */
  volatile: Record<string, RegExp>;
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const LONG_TEXT = "x".repeat(20_000);
export const FIRST_PAGE = { page: 1, limit: 10 };
/** Both ends of the page rules at once. */
export const NO_PAGE = { request: { page: 0, limit: 201 }, fields: ["page", "limit"] };

/** A request without the id that it must name. */
export function missing(field: string): Row["broken"] {
  return { request: {}, fields: [field] };
}
