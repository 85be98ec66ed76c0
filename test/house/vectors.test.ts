import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { ConfigurationCase, MiddlewareCase } from "../vectors/middleware/case.ts";
import { MIDDLEWARE_FILE, middlewareJson } from "../vectors/write-middleware.ts";

const text = readFileSync(MIDDLEWARE_FILE, "utf8");
// The first test holds it to its schema.
const { cases, configurations } = JSON.parse(text) as { cases: MiddlewareCase[]; configurations: ConfigurationCase[] };
const schema = readFileSync(join(import.meta.dirname, "../vectors/middleware.schema.json"), "utf8");

/** The codes of the law's table of denials, with status, title and detail. */
function denialsOfTheLaw(): string[][] {
  const law = readFileSync(join(import.meta.dirname, "../../docs/middleware.md"), "utf8");
  const table = law.split("## Denials")[1]?.split("## Failures")[0] ?? "";
  return [...table.matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \|$/gm)].map(([, ...cells]) => cells);
}

describe("the vectors of the middleware", () => {
  it("have the shape of their schema", () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(schema));
    validate(JSON.parse(text));
    expect(validate.errors).toBeNull();
  });

  it("are what write-middleware.ts writes", () => {
    expect(text === middlewareJson(), "node test/vectors/write-middleware.ts").toBe(true);
  });

  it("have no name twice", () => {
    const names = [...cases, ...configurations].map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(cases.length).toBeGreaterThan(400);
  });

  it("ask the service if and only if it has an answer, and then for the key", () => {
    for (const { name, service, expect: wanted } of cases) {
      expect(wanted.validate === null, name).toBe(service === undefined);
      if (wanted.validate) expect(wanted.validate, name).toHaveProperty("key");
    }
  });

  it("let the handler run in ModeIngest, and record nothing in ModeValidate or when it is switched off", () => {
    for (const { name, options, expect: wanted } of cases) {
      if (options.mode === "ingest") expect(wanted.handlerRan, name).toBe(true);
      if (options.mode === "validate" || options.enabled === false) expect(wanted.event, name).toBeNull();
    }
  });

  it("deny with the statuses and texts of the law, each of them", () => {
    const bodies = cases.map(({ expect: wanted }) => wanted.response.body as Record<string, unknown> | undefined);
    const law = denialsOfTheLaw();
    expect(law.length).toBeGreaterThan(9);
    for (const [code = "", status, title, detail] of law) {
      const type = `urn:keysvc:problem:${code.toLowerCase().replaceAll("_", "-")}`;
      expect(bodies, code).toContainEqual(
        expect.objectContaining({ type, code, status: Number(status), title, detail }),
      );
    }
  });

  it("state what happens to every option", () => {
    const used = new Set(cases.flatMap(({ options }) => Object.keys(options)));
    const { projectKey: _, rootKey: __, ...options } = JSON.parse(schema).$defs.options.properties;
    expect([...used].sort()).toEqual(Object.keys(options).sort());
  });
});
