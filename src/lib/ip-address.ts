import ipaddr from "ipaddr.js";

/** An address and how many of its first bits count. */
export type Subnet = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What the Internet routes and is nobody's own network; the rest of IPv6 is not assigned. */
const GLOBAL_IPV6: Subnet = [ipaddr.IPv6.parse("2000::"), 3];
/** Metadata and host agents of a cloud, in the middle of addresses that anybody else may have. */
const METADATA_IPV4: Subnet = [ipaddr.IPv4.parse("168.63.129.16"), 32];

/** Subnets in CIDR notation, or single addresses, separated by commas. undefined: one of them is none. */
export function parseSubnets(text: string): Subnet[] | undefined {
  const subnets: Subnet[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    if (ipaddr.isValidCIDR(part)) subnets.push(ipaddr.parseCIDR(part));
    else if (isFourPartOrIpv6(part)) subnets.push(wholeAddress(part));
    else return undefined;
  }
  return subnets;
}

function isFourPartOrIpv6(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function wholeAddress(text: string): Subnet {
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * Whether an address is one of the public Internet: global unicast, and none that leads into a network of one's own, to
 * this machine, or to metadata. An IPv4 address within IPv6 counts as what it is.
 *
 * @param text an address as resolvers give it
 */
export function isGlobalAddress(text: string): boolean {
  if (!isFourPartOrIpv6(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return isWithin(address, [GLOBAL_IPV6]) || (address.kind() === "ipv4" && !isWithin(address, [METADATA_IPV4]));
}

/** Whether an address is in one of the subnets. @param text an address as resolvers give it */
export function isInSubnets(text: string, subnets: readonly Subnet[]): boolean {
  return isFourPartOrIpv6(text) && isWithin(ipaddr.process(text), subnets);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, subnets: readonly Subnet[]): boolean {
  return subnets.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
