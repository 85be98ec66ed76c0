import { describe, expect, it } from "vitest";
import { document } from "../../gen/openapi.js";
import { html, Markup, prose } from "./markup.ts";
import { readFields } from "./read-fields.ts";
import { anchorOf, renderPage } from "./render-page.ts";

const page = renderPage(document);
const VOID = new Set(["meta", "link", "input", "br"]);

/** The tags of a page that are never closed, or closed in a wrong order. Attributes must be quoted. */
function unbalanced(text: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [tag, slash, name = ""] of text.matchAll(/<(\/?)([a-z]\w*)(?:\s[\w-]+(?:="[^"<>]*")?)*\s*>/g)) {
    if (VOID.has(name)) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) wrong.push(tag);
  }
  return [...wrong, ...open];
}

/** The page without what its style and script say, in which `<` and `&` mean nothing. */
const body = page.replace(/<(style|script)>.*?<\/\1>/gs, "");

describe("the reference", () => {
  it("has every operation, in its group, in the contents, with a call that can be pasted", () => {
    const operations = Object.entries(document.paths);
    expect(operations.length).toBeGreaterThan(40);
    for (const [path, { post }] of operations) {
      const anchor = anchorOf(path);
      expect(page.split(`<section class="operation" id="${anchor}">`)).toHaveLength(2);
      expect(page).toContain(`<a href="#${anchor}">${path}</a></li>`);
      expect(page).toContain(`&quot;$KEYSVC_BASE_URL${path}&quot;`);
      expect(page).toContain(prose(post.description.split("\n\n")[0] ?? "").text);
    }
  });

  it("says of the address in its examples that it is the default one", () => {
    expect(page).toMatch(/^<pre.*>export KEYSVC_BASE_URL=http:\S+ +# the default; else where this page is$/m);
  });

  it("has every field of requests and answers, with what is written of it", () => {
    const { schemas } = document.components;
    const fields = Object.values(document.paths).flatMap(({ post }) => {
      const { "application/json": request } = post.requestBody.content;
      return request === undefined ? [] : readFields(request.schema, schemas);
    });
    expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining(["credits.refill.every", "keys[].sha256"]));
    for (const { path, description } of fields) {
      expect(page).toContain(`<code class="name">${path}</code>`);
      expect(page).toContain(prose(description).text);
      expect(description).not.toBe("");
    }
  });

  it("is well-formed: each tag is closed in its order, each id is there once, each link leads somewhere", () => {
    expect(unbalanced("<p>an <b>example</p></b>")).not.toEqual([]);
    expect(unbalanced(body)).toEqual([]);
    // Every < begins a tag, and every & an entity.
    expect(body.replace(/<\/?[a-z]\w*[^<>]*>|<!doctype html>/g, "")).not.toMatch(/[<>]/);
    expect(body).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target = ""] of body.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("loads nothing, and has no form and no handler in an attribute", () => {
    expect(body).not.toMatch(/ (?:src|srcset|action|style|on\w+)="/);
    expect(page).not.toMatch(/@import|url\(|fetch\(|https:\/\//);
    const links = [...body.matchAll(/href="([^"#]+)"/g)].map(([, link]) => link);
    expect(links).toEqual(["data:,", "openapi.json"]);
    expect([...page.matchAll(/<input [^>]*>/g)].map(([input]) => input)).toEqual([
      expect.stringContaining('type="search"'),
    ]);
  });

  it("shows what a document says as text, whatever it says", () => {
    const evil = '<img src=x onerror="alert(1)"> & </script>';
    const changed = structuredClone(document);
    changed.info.description = evil;
    changed.tags[0] = { name: changed.tags[0]?.name ?? "", description: evil };
    const schema = changed.components.schemas.KeyServiceValidateRequest?.properties;
    if (schema?.key) Object.assign(schema.key, { description: evil, pattern: evil });
    const shown = renderPage(changed);
    expect(shown.split("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &lt;/script&gt;").length).toBeGreaterThan(
      3,
    );
    expect(shown).not.toContain("<img");
  });
});

describe("markup", () => {
  it("escapes text and leaves markup, in lists too", () => {
    const part = html`<b class="${'"'}">${["<", new Markup("<i></i>")]}${undefined}${0}</b>`;
    expect(part.text).toBe('<b class="&quot;">&lt;<i></i>0</b>');
    expect(prose("`a<b` > c").text).toBe("<code>a&lt;b</code> &gt; c");
  });
});

describe("the fields of a schema", () => {
  const schemas = {
    Inner: { type: "object", required: ["on"], properties: { on: { type: "boolean", description: "Whether." } } },
    Self: { type: "object", properties: { self: { $ref: "#/components/schemas/Self" } } },
  };
  it("have types, rules, words and the fields of what is within", () => {
    const fields = readFields(
      {
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 1, maximum: 2000, description: "How many." },
          kind: { type: ["string", "null"], enum: ["a", null], "x-enumDescriptions": { a: "The first." } },
          parts: {
            anyOf: [{ type: "array", maxItems: 3, items: { $ref: "#/components/schemas/Inner" } }, { type: "null" }],
          },
          names: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string", maxLength: 9 } }] },
        },
      },
      schemas,
    );
    expect(fields.map(({ path, type, required, rules }) => [path, type, required, rules])).toEqual([
      ["size", "integer", true, ["1 to 2,000"]],
      ["kind", "string or null", false, []],
      ["parts", "array of object or null", false, ["at most 3 elements"]],
      ["parts[].on", "boolean", true, []],
      ["names", "string or array of string", false, ["at most 9 characters"]],
    ]);
    expect(fields[1]?.words).toEqual([["a", "The first."]]);
  });

  it("end, where a message refers to itself", () => {
    expect(readFields({ $ref: "#/components/schemas/Self" }, schemas).length).toBeLessThan(10);
  });
});
