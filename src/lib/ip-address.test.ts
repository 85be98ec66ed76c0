import { describe, expect, it } from "vitest";
import { isGlobalAddress, isInSubnets, parseSubnets } from "./ip-address.ts";

describe("addresses of the public Internet", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::200e",
    "::ffff:8.8.8.8",
  ])("%s is one", (address) => expect(isGlobalAddress(address)).toBe(true));

  it.each([
    ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],
    ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.192", "192.0.2.1", "198.18.0.1"],
    ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "192.88.99.1"],
    ...["::", "::1", "::ffff:10.0.0.1", "::ffff:7f00:1", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "fe80::1"],
    ...[
      "fec0::1",
      "fc00::1",
      "fd00:ec2::254",
      "ff02::1",
      "2001:db8::1",
      "2001::1",
      "2002:a00:1::1",
      "3fff::1",
      "5f00::1",
    ],
    ...["100::1", "4000::1"],
    ...["", "localhost", "0x7f.1", "127.1", "2130706433", "017700000001", "fe80::1%eth0"],
  ])("%j is none", (address) => expect(isGlobalAddress(address)).toBe(false));
});

describe("subnets", () => {
  it("are read from a list, and hold the addresses that are in them, in either spelling", () => {
    const subnets = parseSubnets(" 127.0.0.0/8, 10.1.2.3 ,::1/128,") ?? [];
    expect(["127.9.9.9", "10.1.2.3", "::1", "::ffff:127.0.0.1"].map((one) => isInSubnets(one, subnets))).toEqual([
      ...[true, true, true, true],
    ]);
    expect(["10.1.2.4", "::2", "8.8.8.8"].some((one) => isInSubnets(one, subnets))).toBe(false);
  });

  it.each(["127.0.0.0/33", "localhost", "10.0.0.0/8;::1", "1.2.3"])("%j is none", (text) => {
    expect(parseSubnets(text)).toBeUndefined();
  });
});
