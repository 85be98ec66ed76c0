import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
// IPv4 addresses that are written as IPv6 ones are among them.
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** Whether only this machine reaches a port that is bound to the host. Names other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return LOOPBACK.check(host, family === 4 ? "ipv4" : "ipv6");
}
