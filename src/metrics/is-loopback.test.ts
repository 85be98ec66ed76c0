import { describe, expect, it } from "vitest";
import { isLoopback } from "./is-loopback.ts";

describe("isLoopback", () => {
  it.each(["127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost", "LOCALHOST"])(
    "only this machine reaches %s",
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each([
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "128.0.0.1",
    "::2",
    "::ffff:10.0.0.1",
    "localhost.example.com",
    "127.1.example.com",
    "",
  ])("others may reach %j", (host) => expect(isLoopback(host)).toBe(false));
});
