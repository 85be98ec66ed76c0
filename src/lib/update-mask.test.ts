import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ConsumerServiceUpdateRequestSchema } from "../../gen/keysvc/v1/consumer_pb.js";
import type { FieldError } from "./fault.ts";
import { updatedPaths } from "./update-mask.ts";

type Init = Exclude<MessageInitShape<typeof ConsumerServiceUpdateRequestSchema>, { $typeName: string }>;

function pathsOf(init: Init, mask?: string[]): { paths: string[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const request = create(ConsumerServiceUpdateRequestSchema, { ...init, ...(mask && { updateMask: { paths: mask } }) });
  const paths = updatedPaths(ConsumerServiceUpdateRequestSchema, request, errors);
  return { paths: [...paths].sort(), errors };
}

describe("updatedPaths", () => {
  it("is what is set when there is no mask, and within credits their fields", () => {
    const init = {
      consumerId: "c",
      name: "",
      tags: ["a"],
      credits: { used: 0n, refill: {} },
      rateLimit: {},
      status: 2,
    };
    const paths = ["credits.refill", "credits.used", "name", "rate_limit", "status", "tags"];
    expect(pathsOf(init)).toEqual({ paths, errors: [] });
    expect(pathsOf(init, [])).toEqual({ paths, errors: [] });
  });

  it("is nothing when nothing is set: the id is no change, and neither is an empty list", () => {
    expect(pathsOf({ consumerId: "c", tags: [], credits: {} })).toEqual({ paths: [], errors: [] });
  });

  it("is the mask where there is one, whether or not the fields have a value", () => {
    expect(pathsOf({ name: "ignored", tags: ["a"] }, ["tags", "metadata", "credits.used"])).toEqual({
      paths: ["credits.used", "metadata", "tags"],
      errors: [],
    });
  });

  it("clears credits that the mask names and that have no value, and replaces all of their fields when they have", () => {
    expect(pathsOf({}, ["credits"]).paths).toEqual(["credits"]);
    const all = ["carryover", "expires_at", "limit", "overage", "refill", "shadow_limit", "used"];
    expect(pathsOf({ credits: { limit: 1n } }, ["credits"]).paths).toEqual(all.map((name) => `credits.${name}`));
  });

  it("refuses paths that name no field of the change, and shows no more of them than people would send", () => {
    const wrong = ["consumer_id", "update_mask", "rateLimit", "refill", "credits.refill.every", "tags[0]", "*", ""];
    const { paths, errors } = pathsOf({}, [...wrong, "x".repeat(1_000)]);
    expect(paths).toEqual([]);
    expect(errors.map(({ field }) => field)).toEqual(Array.from({ length: wrong.length + 1 }, () => "updateMask"));
    expect(errors.map(({ message }) => message)).toContain('there is no field "rateLimit" to change');
    expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(200);
  });
});
