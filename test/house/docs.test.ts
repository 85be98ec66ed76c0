import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import { document } from "../../gen/openapi.js";
import { FAULTS } from "../../src/lib/fault.ts";
import { CONNECTIONS_MAX, STREAMS_MAX, TIMEOUTS } from "../../src/listener/timeouts.ts";
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

/** The links of a page to files of this repository, without those in code. */
function linksOf(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link]) => link ?? "");
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? resolve(ROOT, page) : resolve(ROOT, page, "..", path);
  if (!existsSync(target)) return false;
  return heading === undefined || headingsOf(readFileSync(target, "utf8")).includes(heading);
}

/** The headings of a page as GitHub names them in links. */
function headingsOf(text: string): string[] {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
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

  it("docs/consumers.md lists the actions that the audit log names", () => {
    const sources = globSync("src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] }).map(read);
    const written = sources.flatMap((source) => [...source.matchAll(/\baction(?::| =) (.*"[a-z.]+")/g)]);
    const actions = written.flatMap(([, text = ""]) =>
      [...text.matchAll(/"([a-z]+\.[a-z.]+)"/g)].map(([, name]) => name),
    );
    const [, section = ""] = read("docs/consumers.md").split("## The audit log");
    const listed = tableRows(section).flatMap(([cell = ""]) => {
      const names = cell.split(", ");
      const target = names[0]?.split(".")[0];
      return names.map((name) => (name.startsWith(".") ? `${target}${name}` : name));
    });
    expect(listed.sort()).toEqual([...new Set(actions)].sort());
  });

  it("gen/openapi.yaml is valid OpenAPI 3.1 and has every path of the gateway", async () => {
    const { valid, errors } = await new Validator().validate(join(ROOT, "gen/openapi.yaml"));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    const paths = [...read("gen/openapi.yaml").matchAll(/^ {2}(\/[\w/]+):$/gm)].map(([, path]) => path);
    expect(paths.sort()).toEqual(methods.map(({ path }) => path).sort());
  });

  it("every operation of the reference lists the problems that a POST may get, with the headers that they come with", () => {
    // Another method, a method that is not built, a deadline that only the other protocols have.
    const others = [405, 501, 504];
    const statuses = [...new Set(Object.values(FAULTS).map(({ status }) => status as number))];
    const expected = statuses.filter((status) => !others.includes(status)).map(String);
    for (const [path, { post }] of Object.entries(document.paths)) {
      const hasChoice = Object.keys(post.responses["200"]?.content ?? {}).length > 1;
      const own = ["200", ...expected].filter((status) => hasChoice || status !== "406");
      expect(Object.keys(post.responses).sort(), path).toEqual(own.sort());
    }
    const { responses } = document.components;
    const withHeader = (name: string) =>
      Object.keys(responses).filter((status) => name in (responses[status]?.headers ?? {}));
    expect(withHeader("WWW-Authenticate")).toEqual(["401"]);
    expect(withHeader("Retry-After")).toEqual(["429", "503"]);
    expect(withHeader("X-Request-Id").sort()).toEqual(expected.sort());
  });

  it("every relative link of every page leads to a file, and to a heading where it names one", () => {
    const pages = globSync("**/*.md", {
      cwd: ROOT,
      exclude: (path) => /(^|\/)(node_modules|\.[^/]+|dist)$/.test(path),
    });
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/guides/credits.md", "clients/go/README.md"]));
    const broken = pages.flatMap((page) => linksOf(page).filter((link) => !leadsSomewhere(page, link)));
    expect(broken).toEqual([]);
    expect(leadsSomewhere("README.md", "docs/none.md")).toBe(false);
    expect(leadsSomewhere("README.md", "docs/operating.md#none")).toBe(false);
  });

  it("SECURITY.md names tests that are there, and the bounds that are set", () => {
    const page = read("SECURITY.md");
    for (const [, path = ""] of page.matchAll(/`((?:src|test)\/[\w/.-]+)`/g))
      expect(existsSync(join(ROOT, path)), path).toBe(true);
    const { handshakeMs, headersMs, requestMs, answerMs, idleMs, closeMs } = TIMEOUTS;
    const [, section = ""] = page.split("## Times and bounds of connections");
    const bounds = [...section.matchAll(/\| ([\d,]+)(?: s| at once)? \|$/gm)].map(([, text]) =>
      Number(text?.replace(",", "")),
    );
    const seconds = [handshakeMs, headersMs, requestMs, answerMs, idleMs, closeMs].map((ms) => ms / 1_000);
    expect(bounds).toEqual([...seconds, STREAMS_MAX, CONNECTIONS_MAX]);
  });

  it("the image starts the service as npm does, with what Node is told", () => {
    const [, started = ""] = /"start": "exec ([^"]+)"/.exec(read("package.json")) ?? [];
    const compiled = started.replace("src/main.ts", "dist/main.js").split(" ");
    const command = compiled.map((argument) => JSON.stringify(argument));
    expect(read("Dockerfile")).toContain(`\nCMD [${command.join(", ")}]\n`);
  });
});
