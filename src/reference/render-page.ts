import type { OpenApiDocument, Operation } from "../../gen/openapi.js";
import { FAULTS } from "../lib/fault.ts";
import { html, Markup, prose } from "./markup.ts";
import { type Field, readFields, type Schemas } from "./read-fields.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

type Tag = OpenApiDocument["tags"][number];
type Route = [path: string, operation: Operation];

/** The reference as one page, which needs nothing from anywhere else. */
export function renderPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const groups = tags.map((tag): [Tag, Route[]] => {
    const routes = Object.entries(paths).map(([path, { post }]): Route => [path, post]);
    return [tag, routes.filter(([, operation]) => operation.tags.includes(tag.name))];
  });
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API reference</title>
<link rel="icon" href="data:,">
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div class="layout">
<aside>
<p hidden><label for="search">Search operations and fields (press /)</label><input id="search" type="search" autocomplete="off" spellcheck="false"></p>
<p id="found" role="status"></p>
<nav aria-label="Operations"><details id="contents"><summary>Contents</summary>
<ul><li><a href="#content">How to call</a></li><li><a href="#errors">Errors</a></li></ul>
${groups.map(renderContents)}</details></nav>
</aside>
<main id="content" tabindex="-1">
<h1>${info.title} API reference</h1>
${renderIntroduction(info.description)}
${renderErrors()}
${groups.map(([tag, routes]) => renderGroup(tag, routes, components.schemas, components.responses))}
</main>
</div>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`;
  return page.text;
}

/** What a fragment of the page's address names: the path with dashes. */
export function anchorOf(path: string): string {
  return path.slice(1).replaceAll("/", "-");
}

function nameOf({ name }: Tag): string {
  return name.replace(/Service$/, "");
}

function renderContents([tag, routes]: [Tag, Route[]]): Markup {
  const links = routes.map(([path]) => html`<li><a href="#${anchorOf(path)}">${path}</a></li>\n`);
  return html`<div data-group><p class="title">${nameOf(tag)}</p><ul>${links}</ul></div>\n`;
}

function renderIntroduction(description: string): Markup {
  return html`<p>${prose(description)}</p>
<p>The same methods are served over Connect, gRPC-Web and gRPC; reflection tells their schema. The document behind this page is <a href="openapi.json">openapi.json</a>.</p>
<p>The examples take the address of the service and a credential from the environment:</p>
<pre tabindex="0">export KEYSVC_BASE_URL=http://127.0.0.1:8080           # the default; else where this page is
export KEYSVC_PROJECT_KEY=$(cat .keysvc/project-key)   # or one that you were given
export KEYSVC_ADMIN_KEY=$(cat .keysvc/admin-key)       # for some of /project</pre>
<p>A field that is not marked as required may be left out. In an update, absent leaves alone, <code>null</code> clears, and a value is set.</p>`;
}

/** The catalogue of faults, which is the same for all operations. */
function renderErrors(): Markup {
  const rows = Object.entries(FAULTS).map(
    ([reason, { status, code, title }]) =>
      html`<tr><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td><code>urn:keysvc:problem:${reason.toLowerCase().replaceAll("_", "-")}</code></td></tr>\n`,
  );
  return html`<h2 id="errors">Errors</h2>
<p>What is not answered with 200 has a body of the type <code>application/problem+json</code> (RFC 9457): <code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>, <code>requestId</code>, and <code>errors</code> with <code>field</code> and <code>message</code> where fields are at fault. A key that is denied is no error, but a verdict of <a href="#key-validate">/key/validate</a>.</p>
<details><summary>All errors</summary><div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">code</th><th scope="col">title</th><th scope="col">type</th></tr></thead><tbody>
${rows}</tbody></table></div></details>`;
}

function renderGroup(tag: Tag, routes: Route[], schemas: Schemas, problems: Record<string, { description: string }>) {
  return html`<div data-group><h2>${nameOf(tag)}</h2>
<p>${prose(tag.description)}</p>
${routes.map(([path, operation]) => renderOperation(path, operation, schemas, problems))}</div>\n`;
}

function renderOperation(
  path: string,
  { description, requestBody, responses }: Operation,
  schemas: Schemas,
  problems: Record<string, { description: string }>,
): Markup {
  const [text = "", scope = ""] = description.split("\n\nScope: ");
  const anchor = anchorOf(path);
  const { "application/json": request } = requestBody.content;
  const answers = Object.entries(responses["200"]?.content ?? {});
  const [[, answer] = []] = answers;
  const statuses = Object.keys(responses).filter((status) => status !== "200");
  return html`<section class="operation" id="${anchor}">
<h3><a href="#${anchor}"><span class="verb">POST</span> ${path}</a></h3>
<p>${prose(text)}</p>
<p class="scope">Needs a credential with the scope ${prose(scope.replace(/\.$/, ""))}.</p>
<pre tabindex="0">${curl(path, request?.example, answers[0]?.[0], scope)}</pre>
${request && renderFields("Request", readFields(request.schema, schemas), REQUIRED)}
<details><summary>Answer</summary>
<p class="type">200, ${answers.map(([type]) => type).join(", or by Accept ")}</p>
${answer && renderFields("Answer", readFields(answer.schema, schemas), OMITTED)}</details>
<details><summary>Errors</summary><ul class="statuses">${statuses.map((status) => html`<li>${status}: ${prose(problems[status]?.description ?? "")}</li>`)}</ul>
<p><a href="#errors">All errors</a></p></details>
</section>
`;
}

/** The call as it can be pasted. A stream is followed as it comes. */
function curl(path: string, example: unknown, type: string | undefined, scope: string): string {
  const credential = scope.includes("operator") ? "KEYSVC_ADMIN_KEY" : "KEYSVC_PROJECT_KEY";
  const flags = type === "application/json" ? "-s" : "-sN";
  const body = JSON.stringify(example, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/([[{]) | ([\]}])/g, "$1$2");
  const quoted = body.replaceAll("'", "'\\''");
  return [
    `curl ${flags} "$KEYSVC_BASE_URL${path}"`,
    `  -H "Authorization: Bearer $${credential}" -H 'Content-Type: application/json'`,
    `  -d '${quoted}'`,
  ].join(" \\\n");
}

/** What is worth saying of a field's presence: of a request, that it must be there; of an answer, that it may not be. */
type Presence = (field: Field) => Markup | undefined;
const REQUIRED: Presence = ({ required }) => (required ? html` <span class="required">required</span>` : undefined);
const OMITTED: Presence = ({ required }) =>
  required ? undefined : html` <span class="type">(not always there)</span>`;

function renderFields(title: string, fields: Field[], presence: Presence): Markup {
  if (fields.length === 0) return html`<h4>${title}</h4><p class="type">An empty object.</p>`;
  return html`<h4>${title}</h4><ul class="fields">${fields.map((field) => renderField(field, presence))}</ul>`;
}

function renderField(field: Field, presence: Presence): Markup {
  const { path, type, description, rules, words } = field;
  const marks = [html` <span class="type">${[type, ...rules].join(" \u00b7 ")}</span>`, presence(field)];
  const meanings = words.map(([word, meaning]) => html`<li><code>${word}</code> ${prose(meaning)}</li>`);
  const list = meanings.length === 0 ? undefined : html`<ul class="words">${meanings}</ul>`;
  return html`<li><code class="name">${path}</code>${marks}<br>${prose(description)}${list}</li>\n`;
}
