export const SCOPE = "option (keysvc.v1.call) = {scope: SCOPE_READ};";
export const post = (path: string) => `option (google.api.http) = {post: "${path}" body: "*"};`;
export const rpc = (name: string, ...options: string[]) =>
  `rpc ${name}(Request) returns (Response) { ${options.join(" ")} }`;
export const streamed = (name: string, ...options: string[]) =>
  rpc(name, ...options).replace("returns (", "returns (stream ");
export const rowsBy = (scope: string) => `option (keysvc.v1.call) = {scope: ${scope} rows_by: "Rows"};`;
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
export const REFUSED: Record<string, [title: string, body: string, message: string]> = {
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
  without: [
    "a field that is left out without one that is not there",
    withFields('optional string name = 1 [(keysvc.v1.json).omit_without = "nickname"];'),
    "field without.Request.name is left out without nickname: both must be fields of the message that may be unset",
  ],
  withoutset: [
    "a field that is left out without one that is always set",
    withFields('optional string name = 1 [(keysvc.v1.json).omit_without = "id"];', "string id = 2;"),
    "field withoutset.Request.name is left out without id: both must be fields of the message that may be unset",
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
