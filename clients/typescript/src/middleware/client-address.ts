const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const IPV6 = /^[0-9a-f:]*:[0-9a-f:.]*(?:%[0-9a-z._-]{1,32})?$/i;

/** The first address of a list such as X-Forwarded-For, without its port; undefined when the first is none. */
export function clientAddress(header: string | undefined): string | undefined {
  const first = header?.split(",", 1)[0]?.trim() ?? "";
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(first)?.[1];
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? inBrackets : undefined;
  if (isIPv6(first)) return first;
  const host = first.replace(/:\d{1,5}$/, "");
  return isIPv4(host) ? host : undefined;
}

function isIPv4(text: string): boolean {
  return IPV4.test(text) && text.split(".").every((part) => Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  return text.length <= 64 && IPV6.test(text) && text.split(":").length > 2;
}
