import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { findOptions } from "../src/codegen/find-options.ts";
import { readJsonMapping } from "../src/codegen/json-mapping.ts";
import type { JsonSurface } from "./json-breaks.ts";

/** The proto files of the last release, as `buf build` writes them. */
const BASELINE = new URL("../proto/baseline.binpb", import.meta.url);

/** What the last release served over JSON. */
export function releasedSurface(): JsonSurface {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(BASELINE)));
  const files = [...registry.files];
  const ours = files.filter((file) => file.proto.package === "keysvc.v1");
  const { methods, messages, enums } = readJsonMapping(ours, findOptions(files));
  const byName = <T>(map: Map<{ typeName: string }, T>) =>
    Object.fromEntries([...map].map(([desc, value]) => [desc.typeName, value]));
  return { methods: methods.map(({ row }) => row), messages: byName(messages), enums: byName(enums) };
}
