import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createServiceClient, type ServiceClient } from "./service-client.ts";

let server: Server;
let client: ServiceClient;
afterEach(() => {
  client.close();
  server.close();
});

/** A service that answers with these, one after the other, and counts the calls. */
async function serve(...answers: [status: number, body: string][]): Promise<{ calls: number }> {
  const served = { calls: 0 };
  server = createServer((_request, response) => {
    const [status, body] = answers[served.calls++] ?? [500, "no more"];
    response.writeHead(status, { "retry-after": "0" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server of a port has such an address.
  client = createServiceClient((server.address() as AddressInfo).port, "a credential", 1);
  return served;
}

it("a question is asked again when the service is unavailable, and no other call is", async () => {
  const served = await serve([503, "busy"], [200, '{"a":1}'], [503, "busy"]);
  expect(await client.ask("/analytics/stats", {})).toEqual({ a: 1 });
  await expect(client.post("/key/validate", {})).rejects.toThrow("/key/validate answered 503: busy");
  expect(served.calls).toBe(3);
});

it("a question is asked five times at most, and once when it is refused", async () => {
  const served = await serve(...new Array<[number, string]>(5).fill([503, "busy"]), [400, "no such card"]);
  await expect(client.ask("/analytics/stats", {})).rejects.toThrow("/analytics/stats answered 503: busy");
  await expect(client.ask("/analytics/stats", {})).rejects.toThrow("/analytics/stats answered 400: no such card");
  expect(served.calls).toBe(6);
});

it("rows are all the lines of an answer", async () => {
  await serve([200, '{"a":1}\n{"a":2}\n'], [200, ""]);
  expect(await client.askForRows("/analytics/logs", {})).toEqual([{ a: 1 }, { a: 2 }]);
  expect(await client.askForRows("/analytics/logs", {})).toEqual([]);
});
