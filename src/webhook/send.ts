import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type AddressOptions, checkUrlText, isAllowedAddress, literalAddress } from "./address.ts";

/** What an attempt came to. */
export interface Answer {
  /** The HTTP status; null: there was no answer. */
  statusCode: number | null;
  /** Why it failed, for people; null: the receiver took it. */
  error: string | null;
}

/** What is posted. */
export interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface SendOptions extends AddressOptions {
  /** From looking up the name to the head of the answer. */
  timeoutMs: number;
}

/** Bytes of a failed answer's body that are read, and the characters of it that are kept. */
const READ_MAX_BYTES = 2_048;
const EXCERPT_MAX = 200;
/** The body of a failed answer is of little interest. */
const READ_TIMEOUT_MS = 1_000;

/**
 * Posts to a receiver once. The name is resolved once, every address of it is checked, and the connection is made to one of
 * these: a name that leads elsewhere a moment later is of no use to anybody. Redirects are not followed, and no proxy of the
 * environment is used. Never rejects.
 *
 * @param signal cuts it off, when the service stops
 */
export async function sendPost(post: Post, options: SendOptions, signal: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const problem = checkUrlText(post.url);
    if (problem !== undefined) return refused(`the address ${problem}`);
    const url = new URL(post.url);
    const addresses = await addressesOf(url, options, either);
    if (addresses === undefined) return refused("the name does not resolve");
    const isAllowed = addresses.every((address) => isAllowedAddress(address, options));
    if (!isAllowed) return refused("the address is in a private, local or reserved network");
    const response = await exchange(url, post, addresses, either);
    const statusCode = response.statusCode ?? 0;
    if (statusCode >= 200 && statusCode < 300) {
      response.destroy();
      return { statusCode, error: null };
    }
    const excerpt = await readExcerpt(response);
    return { statusCode, error: `it answered ${statusCode}${excerpt === "" ? "" : `: ${excerpt}`}` };
  } catch (error) {
    if (timeout.aborted) return refused(`no answer within ${options.timeoutMs / 1_000} s`);
    return refused(describeFailure(error));
  }
}

function refused(error: string): Answer {
  return { statusCode: null, error };
}

async function addressesOf(
  url: URL,
  { resolveHost }: AddressOptions,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const literal = literalAddress(url);
  if (literal !== undefined) return [literal];
  const found = await resolveHost(url.hostname, signal).catch(() => {
    signal.throwIfAborted();
    return [];
  });
  return found.length === 0 ? undefined : found;
}

/** Resolves with the head of the answer. */
function exchange(
  url: URL,
  { headers, body }: Post,
  addresses: string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  // An agent of its own: no connection is used twice, and no setting of the environment puts a proxy in between.
  const agent = isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const options = { method: "POST", headers, agent, lookup: pinnedTo(addresses), signal };
  return new Promise((resolve, reject) => {
    const request: ClientRequest = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    request.on("response", resolve);
    request.on("error", reject);
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("it switched protocols"));
    });
    request.end(body);
  });
}

/** What a connection asks for the addresses of its host, answered without asking anybody. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_hostname, { all }, callback) => {
    const [first] = found;
    if (all) callback(null, found);
    else callback(null, first?.address ?? "", first?.family);
  };
}

/** The beginning of a body, as a line of text. Never rejects. */
async function readExcerpt(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), READ_TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= READ_MAX_BYTES) break;
    }
  } catch {
    // What came is enough.
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, READ_MAX_BYTES).toString();
  return text
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, EXCERPT_MAX)
    .toWellFormed();
}

/** Codes such as ECONNREFUSED or CERT_HAS_EXPIRED say it; messages would name addresses. */
function describeFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "" ? "the connection failed" : `the connection failed: ${code}`;
}
