import { expect, it } from "vitest";
import { createHostResolver } from "./resolve-host.ts";

it("a name of the machine's own hosts file is found, which no nameserver knows", async () => {
  const addresses = await createHostResolver()("localhost", AbortSignal.timeout(5_000));
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.every((address) => address === "127.0.0.1" || address === "::1")).toBe(true);
});

it("a name that there is not is refused, at the latest when the caller has waited long enough", async () => {
  await expect(createHostResolver()("no.such.name.invalid", AbortSignal.timeout(5_000))).rejects.toThrow();
  await expect(createHostResolver()("no.such.name.invalid", AbortSignal.abort())).rejects.toThrow();
});
