import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import { FAULTS } from "../../src/lib/fault.ts";
import { SETTINGS } from "../../src/settings.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The rows of the tables of a page, as arrays of their cells without backticks. */
function tableRows(page: string): string[][] {
  const lines = page.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

describe("the documentation", () => {
  it("docs/errors.md lists the faults of the catalogue, and no other", () => {
    const [section = ""] = read("docs/errors.md").split("## Verdicts");
    const rows = tableRows(section);
    const catalogue = Object.entries(FAULTS).map(([reason, { status, code, title }]) => [
      reason,
      String(status),
      code,
      title,
    ]);
    expect(rows).toEqual(catalogue);
  });

  it("docs/errors.md lists the verdicts of the proto file, in its order", () => {
    const proto = read("proto/keysvc/v1/key.proto");
    const words = [...proto.matchAll(/VERDICT_CODE_\w+ = \d+ \[\(word\) = "(\w+)"\]/g)].map(([, word]) => word);
    const section = read("docs/errors.md").split("## Verdicts")[1] ?? "";
    expect(words.length).toBeGreaterThan(8);
    expect(tableRows(section).map(([word]) => word)).toEqual(words);
  });

  it("docs/configuration.md lists the settings that the service reads, with their defaults", () => {
    const rows = tableRows(read("docs/configuration.md"));
    expect(rows).toEqual(
      SETTINGS.map(({ name, default: fallback, description }) => [name, fallback, description.replaceAll("`", "")]),
    );
  });

  it("gen/openapi.yaml is valid OpenAPI 3.1 and has every path of the gateway", async () => {
    const { valid, errors } = await new Validator().validate(join(ROOT, "gen/openapi.yaml"));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    const paths = [...read("gen/openapi.yaml").matchAll(/^ {2}(\/[\w/]+):$/gm)].map(([, path]) => path);
    expect(paths.sort()).toEqual(methods.map(({ path }) => path).sort());
  });

  it("every link of the README and of docs leads to a file", () => {
    for (const page of [
      "README.md",
      "CONTRIBUTING.md",
      "docs/architecture.md",
      "docs/errors.md",
      "docs/configuration.md",
      "docs/json.md",
      "docs/ingest.md",
      "docs/operating.md",
      "docs/middleware.md",
      "test/vectors/README.md",
      "docs/webhooks.md",
      "src/webhook/README.md",
    ]) {
      const links = [...read(page).matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, link]) => link ?? "");
      for (const link of links)
        expect(() => readFileSync(resolve(ROOT, page, "..", link)), `${page}: ${link}`).not.toThrow();
    }
  });

  it("the image starts the service as npm does, with what Node is told", () => {
    const [, started = ""] = /"start": "exec ([^"]+)"/.exec(read("package.json")) ?? [];
    const compiled = started.replace("src/main.ts", "dist/main.js").split(" ");
    const command = compiled.map((argument) => JSON.stringify(argument));
    expect(read("Dockerfile")).toContain(`\nCMD [${command.join(", ")}]\n`);
  });
});
