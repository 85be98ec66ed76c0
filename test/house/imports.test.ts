import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = globSync("src/**/*.ts", { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));

/** Capabilities. A room takes another's behaviour as a function from app.ts, and of its code only the noun: types and pure rules. */
const ROOMS: Record<string, string> = {
  analytics: "question.ts",
  api: "api.ts",
  audit: "audit.ts",
  consumer: "consumer.ts",
  ingest: "traffic.ts",
  key: "key.ts",
  listing: "listing.ts",
  plan: "plan.ts",
  project: "project.ts",
  validation: "verdict.ts",
  webhook: "event.ts",
};

/** Which folders of src a folder may import from, besides itself. Rooms may import these, and nouns of other rooms. */
const BELOW_ROOMS = ["credits", "journal", "lib", "mongo", "secrets", "segments"];
const FOLDERS: Record<string, string[]> = {
  cli: ["config.ts", "doctor", "lib", "secrets"],
  codegen: ["lib"],
  credits: ["lib"],
  // The demo makes keys that look real.
  demo: ["app.ts", "config.ts", "key", "lib"],
  doctor: ["config.ts", "schema.ts", "journal", "lib", "metrics", "mongo", "mongod", "rpc", "secrets", "segments"],
  gateway: ["lib", "rpc"],
  journal: ["lib", "mongo", "segments"],
  lib: [],
  listener: [],
  metrics: ["lib", "mongo"],
  mongo: ["lib"],
  mongod: ["lib"],
  reference: ["lib"],
  rpc: ["lib"],
  secrets: ["lib", "mongo"],
  segments: ["lib", "mongo"],
  // It writes what the rooms would have written.
  seed: ["config.ts", "credentials.ts", "mongod", "schema.ts", ...BELOW_ROOMS, ...Object.keys(ROOMS)],
  tracing: ["lib", "mongo"],
  ...Object.fromEntries(Object.keys(ROOMS).map((room) => [room, BELOW_ROOMS])),
};
/** The composition root, which may import everything. */
const ROOT_FILES = [
  ...[
    "app-options.ts",
    "app.ts",
    "compose-analytics.ts",
    "compose-ingest.ts",
    "compose-metrics.ts",
    "compose-rooms.ts",
    "compose-validation.ts",
    "compose-webhooks.ts",
    "credentials.ts",
    "housekeeping.ts",
    "main-routes.ts",
    "main.ts",
    "open-ports.ts",
    "read-tls.ts",
    "schema.ts",
  ],
];

/** Packages that one kind of file alone may know. */
const PACKAGES: [name: RegExp, allowed: RegExp][] = [
  [/^mongodb$/, /^src\/(mongo|mongod)\/|\/store\.ts$|\/demo\/.*\.ts$/],
  [/^fastify$|^@connectrpc\//, /^src\/(main-routes|gateway|listener|rpc)/],
  [/^prom-client$/, /^src\/metrics\//],
  [/^@opentelemetry\//, /^src\/tracing\//],
  [/^@grpc\//, /^src\/rpc\//],
  [/^pino$/, /^src\/(app|main|demo\/.*)\.ts$/],
];

interface Import {
  file: string;
  /** A path below the root, or the name of a package. */
  target: string;
  isTypeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)";/gms);
  return [...statements].map(([, type, name = ""]) => ({
    file,
    target: name.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), name)) : name,
    isTypeOnly: type !== undefined,
  }));
}

const IMPORTS = SOURCES.flatMap(importsOf);
const show = ({ file, target }: Import) => `${file} imports ${target}`;

function isAllowed({ file, target }: Import): boolean {
  const [, from = "", ...rest] = file.split("/");
  const [, to = "", name] = target.split("/");
  if (rest.length === 0) return ROOT_FILES.includes(from) || ROOT_FILES.includes(to) === false;
  if (from === to || FOLDERS[from]?.includes(to)) return true;
  return from in ROOMS && ROOMS[to] === name;
}

describe("imports", () => {
  it("are found at all", () => {
    expect(IMPORTS.map(show)).toContain("src/validation/judge-call.ts imports src/lib/fault.ts");
  });

  it("know every folder of src", () => {
    const folders = new Set(SOURCES.filter((path) => path.split("/").length > 2).map((path) => path.split("/")[1]));
    expect([...folders].sort()).toEqual(Object.keys(FOLDERS).sort());
  });

  it("point one way: main to app to rooms to credits, mongo and lib", () => {
    const wrong = IMPORTS.filter(({ target }) => target.startsWith("src/")).filter((found) => !isAllowed(found));
    expect(wrong.map(show)).toEqual([]);
  });

  it("keep MongoDB, HTTP, gRPC and the log to the files that are made for them", () => {
    const wrong = IMPORTS.filter(({ isTypeOnly }) => !isTypeOnly).filter(({ file, target }) =>
      PACKAGES.some(([name, allowed]) => name.test(target) && !allowed.test(file)),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it("load tracing, and its many packages, only where it is wanted", () => {
    const statically = IMPORTS.filter(({ file, target, isTypeOnly }) => {
      return target.startsWith("src/tracing/") && !file.startsWith("src/tracing/") && !isTypeOnly;
    });
    expect(statically.map(show)).toEqual([]);
  });

  it("keep the clients and the service apart: they share what is generated and the vectors", () => {
    const clients = globSync("clients/typescript/{gen,src,test,examples}/**/*.ts", { cwd: ROOT }).flatMap(importsOf);
    expect(clients.map(show)).toContain("clients/typescript/src/index.ts imports clients/typescript/src/errors.ts");
    const shared = /^clients\/typescript\/|^test\/vectors\//;
    const own = clients.filter(
      ({ file, target }) =>
        target.includes("/") && file.startsWith("clients/") && /^(?:src|gen|bench|test|clients)\//.test(target),
    );
    expect(own.filter(({ target }) => !shared.test(target)).map(show)).toEqual([]);
    const back = IMPORTS.filter(({ target }) => target.startsWith("clients/"));
    expect(back.map(show)).toEqual([]);
  });

  it("of the client and of Hono's middleware have nothing of Node but types", () => {
    const files = globSync("clients/typescript/{gen,src}/**/*.ts", { cwd: ROOT }).filter(
      (file) => !file.endsWith(".test.ts"),
    );
    const wrong = files
      .flatMap(importsOf)
      .filter(
        ({ file, target, isTypeOnly }) => target.startsWith("node:") && !isTypeOnly && !file.endsWith("/src/node.ts"),
      );
    expect(wrong.map(show)).toEqual([]);
  });

  it("have no cycle", () => {
    const graph = new Map(
      SOURCES.map((file) => [file, IMPORTS.filter((found) => found.file === file && !found.isTypeOnly)]),
    );
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(" > "));
        return;
      }
      for (const { target } of graph.get(file) ?? []) if (graph.has(target)) visit(target, [...path, file]);
    };
    for (const file of SOURCES) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("are of files that fit on a few screens: none is longer than 250 lines", () => {
    const files = globSync("{src,test,bench,clients}/**/*.ts", { cwd: ROOT }).filter(
      (file) => !/^clients\/typescript\/(?:gen|dist)\//.test(file),
    );
    const long = files.filter((file) => readFileSync(join(ROOT, file), "utf8").split("\n").length > 251);
    expect(long).toEqual([]);
  });

  it("leave reading the environment to config.ts and the processes that start it", () => {
    const readers = SOURCES.filter((file) => /process\.env/.test(readFileSync(join(ROOT, file), "utf8")));
    expect(
      readers.filter((file) => !/^src\/(main|config|cli\/keysvc|demo\/.*|mongod\/.*|seed\/seed)\.ts$/.test(file)),
    ).toEqual([]);
  });
});
