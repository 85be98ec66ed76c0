import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { OpenApiDocument } from "../../gen/openapi.js";
import { renderPage } from "./render-page.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** The page may run and show what is in it, by hash, and nothing else: it loads nothing, sends nothing, is in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src '${hash(SCRIPT)}'`,
  `style-src '${hash(STYLE)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** An answer that is the same for all, ready to be sent. */
export interface StoredAnswer {
  path: string;
  type: string;
  body: Buffer;
  /** A strong validator: the same bytes on every node of a version. */
  etag: string;
}

/**
 * What is served as `/docs`, the reference, and as `/openapi.json`, the document behind it. Nobody needs a credential for
 * them: they are the same for all, and tell nothing of this installation.
 */
export function storeReference(document: OpenApiDocument): StoredAnswer[] {
  return [
    store("/docs", "text/html; charset=utf-8", renderPage(document)),
    store("/openapi.json", "application/json; charset=utf-8", JSON.stringify(document)),
  ];
}

/** Serves GET and HEAD of the answers. */
export function referenceRoutes(instance: FastifyInstance, answers: readonly StoredAnswer[]): void {
  for (const answer of answers) serve(instance, answer);
}

function store(path: string, type: string, text: string): StoredAnswer {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  return { path, type, body: Buffer.from(text), etag };
}

function serve(instance: FastifyInstance, { path, type, body, etag }: StoredAnswer): void {
  instance.get(path, async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
      // Kept, and asked for again each time: an upgrade is seen at once, and what did not change is not sent.
      "cache-control": "public, no-cache",
      etag,
    });
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type(type).send(body);
  });
}

/** Whether the caller has these bytes (RFC 9110, section 13.1.2): one of the tags that it names is theirs. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

/** How a policy names an inline script or style. */
function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
