/**
 * Writes the proto files of others that ours import into .proto-imports, from npm packages that are already installed:
 * `buf generate` then works where no remote module can be fetched, and nobody's files are vendored.
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto2 } from "./print-proto2.ts";

const TARGET = resolve(import.meta.dirname, "../../.proto-imports");
const require = createRequire(import.meta.url);

/** The folder that an installed package lies in. */
function packageFolder(name: string): string {
  const main = require.resolve(name);
  return main.slice(0, main.lastIndexOf(join("node_modules", name))) + join("node_modules", name);
}

const COPIES: { from: string; to: string }[] = [
  ...["google/api/annotations", "google/api/http", "google/rpc/status", "google/rpc/error_details"].map((path) => ({
    from: join(packageFolder("google-proto-files"), `${path}.proto`),
    to: `${path}.proto`,
  })),
  ...["grpc/reflection/v1/reflection", "grpc/reflection/v1alpha/reflection"].map((path) => ({
    from: join(packageFolder("@grpc/reflection"), "build/proto", `${path}.proto`),
    to: `${path}.proto`,
  })),
  {
    from: join(packageFolder("grpc-health-check"), "proto/health/v1/health.proto"),
    to: "grpc/health/v1/health.proto",
  },
];

async function writeImportedProtos(): Promise<void> {
  await rm(TARGET, { recursive: true, force: true });
  for (const { from, to } of COPIES) {
    await mkdir(dirname(join(TARGET, to)), { recursive: true });
    await cp(from, join(TARGET, to));
  }
  // protovalidate's rules are in no package as a .proto, but their descriptor is.
  const rules = join(TARGET, "buf/validate/validate.proto");
  await mkdir(dirname(rules), { recursive: true });
  await writeFile(rules, printProto2(file_buf_validate_validate.proto));
}

await writeImportedProtos();
