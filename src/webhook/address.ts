import { isGlobalAddress, isInSubnets, type Subnet } from "../lib/ip-address.ts";

/** All addresses of a name, as texts. Rejects when it has none, or when that is not known in time. */
export type ResolveHost = (name: string, signal: AbortSignal) => Promise<string[]>;

export interface AddressOptions {
  resolveHost: ResolveHost;
  /** Subnets that are let pass besides the public Internet. */
  allowed: readonly Subnet[];
}

/** The parser would also take spaces around it, line ends within, and no slashes. */
const WEB_ADDRESS = /^https?:\/\/\S+$/i;
/** Whoever saves an address waits for its name so long. */
const SAVE_TIMEOUT_MS = 1_000;

const REFUSED = "must lead to the public Internet, not to a private, local or reserved network";

/** What is wrong with the text of a webhook address; undefined: nothing that can be told from it. */
export function checkUrlText(text: string): string | undefined {
  if (!WEB_ADDRESS.test(text) || !URL.canParse(text)) return "must be an http or https URL";
  const url = new URL(text);
  return url.username || url.password ? "must not carry a user or a password" : undefined;
}

/**
 * The IP address that a URL names instead of a host; undefined: it names a host. The URL parser has brought every odd spelling
 * (decimal, octal, hexadecimal, short) into the usual one.
 */
export function literalAddress({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // No name ends in a number: the parser takes it for an address, or refuses it.
  return /^[\d.]+$/.test(hostname) ? hostname : undefined;
}

/** Whether a connection to an IP address may be made. */
export function isAllowedAddress(address: string, { allowed }: Pick<AddressOptions, "allowed">): boolean {
  return isGlobalAddress(address) || isInSubnets(address, allowed);
}

/**
 * What is wrong with a webhook address that is to be saved; undefined: nothing that is known now. A name that does not
 * resolve in time is let pass: each attempt resolves and checks it anew.
 */
export async function checkWebhookUrl(text: string, options: AddressOptions): Promise<string | undefined> {
  const problem = checkUrlText(text);
  if (problem !== undefined) return problem;
  const url = new URL(text);
  const literal = literalAddress(url);
  const addresses =
    literal === undefined
      ? await options.resolveHost(url.hostname, AbortSignal.timeout(SAVE_TIMEOUT_MS)).catch(() => [])
      : [literal];
  return addresses.every((address) => isAllowedAddress(address, options)) ? undefined : REFUSED;
}
