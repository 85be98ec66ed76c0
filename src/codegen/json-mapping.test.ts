import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { gatewayTable } from "./gateway-table.ts";
import { findOptions, type JsonMapping, readJsonMapping } from "./json-mapping.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GOOGLE = dirname(createRequire(import.meta.url).resolve("google-proto-files/package.json"));

const SCOPE = "option (keysvc.v1.call) = {scope: SCOPE_READ};";
const post = (path: string) => `option (google.api.http) = {post: "${path}" body: "*"};`;
const rpc = (name: string, ...options: string[]) => `rpc ${name}(Request) returns (Response) { ${options.join(" ")} }`;
const streamed = (name: string, ...options: string[]) => rpc(name, ...options).replace("returns (", "returns (stream ");
const rowsBy = (scope: string) => `option (keysvc.v1.call) = {scope: ${scope} rows_by: "Rows"};`;
/** A service with one good method, whose request has the fields. */
const withFields = (...fields: string[]) => `
  service S { ${rpc("Make", post("/thing/make"), SCOPE)} }
  message Request { ${fields.join("\n")} }
  message Response {}`;
/** A service with the methods, and empty messages. */
const withMethods = (...methods: string[]) => `
  service S { ${methods.join("\n")} }
  message Request {}
  message Response {}`;

/** What cannot be served, with the message that says so. */
const REFUSED: Record<string, [title: string, body: string, message: string]> = {
  nopath: ["a method without a path", withMethods(rpc("Make", SCOPE)), "nopath.S.Make has no POST path"],
  get: [
    "a method with a GET path",
    withMethods(rpc("Make", 'option (google.api.http) = {get: "/thing/make"};', SCOPE)),
    "get.S.Make has no POST path",
  ],
  misnamed: [
    "a method that is not named after its path",
    withMethods(rpc("Create", post("/thing/make"), SCOPE)),
    "misnamed.S.Create should be named Make, after its path /thing/make",
  ],
  misnameddeep: [
    "a method that is named after the end of its path only",
    withMethods(rpc("Create", post("/project/credential/create"), SCOPE)),
    "misnameddeep.S.Create should be named CredentialCreate, after its path /project/credential/create",
  ],
  twice: [
    "two methods with one path",
    `${withMethods(rpc("Make", post("/thing/make"), SCOPE))}
     service T { ${rpc("Make", post("/thing/make"), SCOPE)} }`,
    "/thing/make is the path of two methods",
  ],
  noscope: ["a method without a scope", withMethods(rpc("Make", post("/thing/make"))), "noscope.S.Make has no scope"],
  zeroscope: [
    "a method with options and no scope among them",
    withMethods(rpc("Make", post("/thing/make"), "option (keysvc.v1.call) = {max_request_bytes: 5};")),
    "zeroscope.S.Make has no scope",
  ],
  follows: [
    "a method that follows and does not stream",
    withMethods(rpc("Make", post("/thing/make"), "option (keysvc.v1.call) = {scope: SCOPE_READ follows: true};")),
    "follows.S.Make follows, and is no streaming method",
  ],
  norows: [
    "rows by a method that does not stream",
    withMethods(rpc("Make", post("/thing/make"), rowsBy("SCOPE_READ")), rpc("Rows", post("/thing/rows"), SCOPE)),
    "norows.S.Make has its rows by Rows, which is no export of the same service, scope and size",
  ],
  otherscope: [
    "rows for those who must not have them",
    withMethods(rpc("Make", post("/thing/make"), rowsBy("SCOPE_INGEST")), streamed("Rows", post("/thing/rows"), SCOPE)),
    "otherscope.S.Make has its rows by Rows, which is no export of the same service, scope and size",
  ],
  oneof: [
    "a oneof",
    withFields("oneof choice { string first = 1; int32 second = 2; }"),
    "field oneof.Request.first is in a oneof, which the JSON of the gateway does not know",
  ],
  nested: [
    "a oneof in a message within",
    `${withFields("Inner inner = 1;")} message Inner { oneof choice { string first = 1; } }`,
    "field nested.Inner.first is in a oneof, which the JSON of the gateway does not know",
  ],
  alone: [
    "elements that are read each alone and are no messages",
    withFields("repeated string names = 1 [(keysvc.v1.each_alone) = true];"),
    "field alone.Request.names is no list of messages, to be read each alone",
  ],
  jsonname: [
    "a field whose name in TypeScript is another",
    withFields("string to_string = 1;"),
    "field jsonname.Request.to_string is toString$ in TypeScript, not its JSON name",
  ],
  ...Object.fromEntries(
    [
      ["bytes", "bytes bad = 1;"],
      ["float", "float bad = 1;"],
      ["sint32", "sint32 bad = 1;"],
      ["fixed64", "repeated fixed64 bad = 1;"],
      ["duration", "google.protobuf.Duration bad = 1;"],
      ["mapofstrings", "map<string, string> bad = 1;"],
      ["mapofmessages", "map<string, Response> bad = 1;"],
    ].map(([name = "", field = ""]) => [
      name,
      [
        `a field of type ${field.split(" bad")[0]}`,
        withFields(field),
        `field ${name}.Request.bad has a type that the JSON of the gateway does not know`,
      ],
    ]),
  ),
};

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
  message Inner { optional bool on = 1; double ratio = 2; Inner inner = 3 [(keysvc.v1.json).omit_when_unset = true]; }
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
          { name: "on", protoName: "on", kind: "bool", nullable: true },
          { name: "ratio", protoName: "ratio", kind: "double" },
          {
            name: "inner",
            protoName: "inner",
            kind: "message",
            type: "good.Inner",
            nullable: true,
            omitWhenUnset: true,
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
