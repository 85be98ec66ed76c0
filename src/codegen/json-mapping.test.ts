import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { post, REFUSED, rowsBy, rpc, SCOPE, streamed } from "../../test/harness/refused-protos.ts";
import { clientApi } from "./client-api.ts";
import { findOptions } from "./find-options.ts";
import { gatewayTable } from "./gateway-table.ts";
import { type JsonMapping, readJsonMapping } from "./json-mapping.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GOOGLE = dirname(createRequire(import.meta.url).resolve("google-proto-files/package.json"));

const GOOD = `
  service ThingService {
    // Served at once.
    ${rpc("Make", post("/thing/make"), SCOPE)}
    ${rpc("PartAdd", post("/thing/part/add"), "option (keysvc.v1.call) = {scope: SCOPE_OPERATOR max_request_bytes: 9};")}
    ${streamed("Ingest", post("/ingest"), SCOPE)}
    ${rpc("List", post("/thing/list"), rowsBy("SCOPE_READ"))}
    rpc Rows(Request) returns (stream Inner) { ${post("/thing/rows")} ${SCOPE} }
  }
  message Request {
    string thing_id = 1;
    google.protobuf.FieldMask update_mask = 2;
    optional string name = 3;
    Kind kind = 4;
    repeated int64 sizes = 5 [(keysvc.v1.json).single_or_list = true, (keysvc.v1.json).string_or_number = true];
    Inner inner_part = 6 [(keysvc.v1.json).merge = true];
    google.protobuf.Struct metadata = 7;
    google.protobuf.Timestamp at = 8;
    repeated Inner parts = 9 [(keysvc.v1.each_alone) = true];
  }
  message Inner {
    optional bool on_now = 1;
    double ratio = 2;
    Inner inner = 3 [(keysvc.v1.json).omit_when_unset = true];
    optional int64 left = 4 [(keysvc.v1.json).omit_without = "on_now"];
    Kind kind = 5 [(keysvc.v1.json).never_null = true, (keysvc.v1.json).refused_words = "large"];
  }
  message Response { Inner inner = 1 [(keysvc.v1.json).inline = true]; }
  enum Kind { KIND_UNSPECIFIED = 0; KIND_LARGE = 1; KIND_VERY_SMALL = 3 [(keysvc.v1.word) = "verySmall"]; }`;

let registry: FileRegistry;

/** Compiles all cases at once, each a file with a package of its own. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "keysvc-codegen-"));
  for (const path of ["google/api/annotations.proto", "google/api/http.proto"]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(GOOGLE, path), join(folder, path));
  }
  await mkdir(join(folder, "keysvc/v1"), { recursive: true });
  await cp(join(ROOT, "proto/keysvc/v1/options.proto"), join(folder, "keysvc/v1/options.proto"));
  await writeFile(join(folder, "buf.yaml"), "version: v2\n");
  const bodies = Object.entries(REFUSED).map(([name, [, body]]) => [name, body] as const);
  const wkt = ["duration", "field_mask", "struct", "timestamp"].map((name) => `google/protobuf/${name}`);
  for (const [name, body] of [...bodies, ["good", GOOD] as const]) {
    const imports = ["google/api/annotations", "keysvc/v1/options", ...wkt].map((path) => `import "${path}.proto";`);
    const text = ['syntax = "proto3";', `package ${name};`, ...imports, body].join("\n");
    await writeFile(join(folder, `${name}.proto`), text);
  }
  const output = join(folder, "out.binpb");
  const buf = join(ROOT, "node_modules/.bin/buf");
  await promisify(execFile)(buf, ["build", folder, "--as-file-descriptor-set", "-o", output]);
  registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await readFile(output)));
  await rm(folder, { recursive: true });
}, 60_000);

function read(name: string): JsonMapping {
  const files = [...registry.files];
  const chosen = files.filter((file) => file.proto.package === name);
  return readJsonMapping(chosen, findOptions(files));
}

describe("readJsonMapping", () => {
  it.each(Object.entries(REFUSED).map(([name, [title, , message]]) => [title, name, message] as const))(
    "refuses %s, by name",
    (_title, name, message) => {
      expect(() => read(name)).toThrow(message);
    },
  );

  it("reads path, scope and limit of each method, what its rows are, and who streams them", () => {
    expect(read("good").methods.map(({ row }) => row)).toEqual([
      { path: "/thing/make", scope: "read", maxRequestBytes: 1_048_576, streaming: false },
      { path: "/thing/part/add", scope: "operator", maxRequestBytes: 9, streaming: false },
      { path: "/ingest", scope: "read", maxRequestBytes: 1_048_576, streaming: true, rowField: "inner" },
      { path: "/thing/list", scope: "read", maxRequestBytes: 1_048_576, streaming: false, rowsBy: "/thing/rows" },
      { path: "/thing/rows", scope: "read", maxRequestBytes: 1_048_576, streaming: true },
    ]);
  });

  it("reads the fields of each message that a method reaches, and their options", () => {
    const { messages } = read("good");
    const byName = Object.fromEntries([...messages].map(([desc, message]) => [desc.typeName, message]));
    expect(byName).toEqual({
      "good.Request": {
        mask: "updateMask",
        fields: [
          { name: "thingId", protoName: "thing_id", kind: "string", unmasked: true },
          { name: "name", protoName: "name", kind: "string", nullable: true },
          { name: "kind", protoName: "kind", kind: "enum", type: "good.Kind", nullable: true },
          { name: "sizes", protoName: "sizes", kind: "long", list: true, singleOrList: true, stringOrNumber: true },
          {
            name: "innerPart",
            protoName: "inner_part",
            kind: "message",
            type: "good.Inner",
            nullable: true,
            merge: true,
          },
          { name: "metadata", protoName: "metadata", kind: "struct", nullable: true },
          { name: "at", protoName: "at", kind: "timestamp", nullable: true },
          { name: "parts", protoName: "parts", kind: "message", type: "good.Inner", list: true, alone: true },
        ],
      },
      "good.Inner": {
        fields: [
          { name: "onNow", protoName: "on_now", kind: "bool", nullable: true },
          { name: "ratio", protoName: "ratio", kind: "double" },
          {
            name: "inner",
            protoName: "inner",
            kind: "message",
            type: "good.Inner",
            nullable: true,
            omitWhenUnset: true,
          },
          { name: "left", protoName: "left", kind: "long", nullable: true, omitWithout: "onNow" },
          {
            ...{ name: "kind", protoName: "kind", kind: "enum", type: "good.Kind", nullable: true },
            ...{ neverNull: true, refusedWords: ["large"] },
          },
        ],
      },
      "good.Response": {
        fields: [
          { name: "inner", protoName: "inner", kind: "message", type: "good.Inner", nullable: true, inline: true },
        ],
      },
    });
  });

  it("reads the words of each enum by number, with null for what has no word", () => {
    const [words] = [...read("good").enums.values()];
    expect(JSON.stringify(words)).toBe('[null,"large",null,"verySmall"]');
  });

  it("needs the options to be among the files that are compiled", () => {
    expect(() => findOptions([])).toThrow("keysvc.v1.Scope is not among the compiled files");
    const scopes = [...registry.files].filter(({ name }) => name === "keysvc/v1/options");
    expect(() => findOptions(scopes)).toThrow("option google.api.http is not among the compiled files");
  });
});

it("gatewayTable writes the mapping as a module that knows each method's descriptor", () => {
  const text = gatewayTable(read("good"));
  expect(text).toContain('import { ThingService } from "./good_pb.js";');
  expect(text).toContain("export const services = [ThingService];");
  expect(text).toContain(
    '  { path: "/thing/part/add", scope: "operator", maxRequestBytes: 9, streaming: false, rpc: ThingService.method.partAdd },',
  );
  expect(text).toContain('  "good.Kind": [null,"large",null,"verySmall"],');
});

describe("clientApi", () => {
  it("writes each method under its service, with how it is called and what it answers", () => {
    const text = clientApi(read("good"));
    expect(text).toContain(
      "  /** Served at once. */\n  make(request?: Request, options?: SafeCallOptions): Promise<Response>;",
    );
    expect(text).toContain("  ingest(request?: Request, options?: CallOptions): Promise<RowStream<Inner>>;");
    expect(text).toContain('    make: { path: "/thing/make", safe: true },');
    expect(text).toContain('    partAdd: { path: "/thing/part/add" },');
    expect(text).toContain('    rows: { path: "/thing/rows", rows: "all" },');
  });

  it("writes types as JSON has them: what may be absent or null, and what stands for what", () => {
    const text = clientApi(read("good"));
    const request = [
      "  thingId?: string | null | undefined;",
      "  name?: string | null | undefined;",
      "  kind?: Kind | null | undefined;",
      "  sizes?: number | string | (number | string)[] | null | undefined;",
      "  innerPart?: InnerInput | null | undefined;",
      "  metadata?: JsonObject | null | undefined;",
      "  at?: string | null | undefined;",
      "  parts?: InnerInput[] | null | undefined;",
    ];
    expect(text).toContain(`export interface Request {\n${request.join("\n")}\n}`);
    expect(text).toContain(
      "export interface Inner {\n  onNow: boolean | null;\n  ratio: number;\n  inner?: Inner;\n  left?: number | null;\n  kind: Kind | null;\n}",
    );
    expect(text).toContain("export type Response = Inner;");
    expect(text).toContain('export type Kind = "large" | "verySmall";');
  });
});
