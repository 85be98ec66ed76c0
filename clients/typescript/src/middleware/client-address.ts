/** What looks like an address: of IPv4 or IPv6, without asking more of it. */
const ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/** The first entry of a list such as X-Forwarded-For, without port and brackets; undefined when it looks like no address. */
export function clientAddress(header: string | undefined): string | undefined {
  const first = header?.split(",", 1)[0]?.trim() ?? "";
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(first)?.[1] ?? withoutPort(first);
  return ADDRESS.test(address) ? address : undefined;
}

/** More than one colon are those of an IPv6 address. */
function withoutPort(entry: string): string {
  const colon = entry.indexOf(":");
  return colon !== -1 && colon === entry.lastIndexOf(":") ? entry.slice(0, colon) : entry;
}

/** The address of a connection; one of IPv4 that a socket of IPv6 has taken is written as that of IPv4. */
export function connectionAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, "");
}
