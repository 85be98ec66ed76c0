import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { parseSubnets } from "../lib/ip-address.ts";
import type { ResolveHost } from "./address.ts";
import { checkWebhookUrl } from "./address.ts";
import { sendPost } from "./send.ts";

const LOCAL = parseSubnets("127.0.0.1") ?? [];
const NEVER = new AbortController().signal;
const TIMEOUT_MS = 1_000;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** What a receiver got, which answers as it is told to. */
async function listen(answer: (response: ServerResponse) => void): Promise<{ port: number; paths: string[] }> {
  const paths: string[] = [];
  const listening = createServer((request, response) => {
    paths.push(`${request.method} ${request.headers.host} ${request.url}`);
    answer(response);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return { port: (listening.address() as AddressInfo).port, paths };
}

const resolvesTo =
  (...addresses: string[]): ResolveHost =>
  async () =>
    addresses;
const send = (url: string, resolveHost: ResolveHost, timeoutMs = TIMEOUT_MS) =>
  sendPost({ url, headers: {}, body: "{}" }, { resolveHost, allowed: LOCAL, timeoutMs }, NEVER);

const REFUSED = { statusCode: null, error: "the address is in a private, local or reserved network" };

describe("an attempt", () => {
  it("connects to the address that was checked, whatever the name leads to otherwise", async () => {
    const { port, paths } = await listen((response) => response.writeHead(204).end());
    const url = `http://no.such.name.invalid:${port}/hook?a=1`;
    expect(await send(url, resolvesTo("127.0.0.1"))).toEqual({ statusCode: 204, error: null });
    expect(paths).toEqual([`POST no.such.name.invalid:${port} /hook?a=1`]);
  });

  it("is refused when the name leads elsewhere at the second look-up, and nothing is connected to", async () => {
    const { port, paths } = await listen((response) => response.writeHead(200).end());
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "169.254.169.254"]];
    const rebound: ResolveHost = async () => answers.shift() ?? [];
    const url = `http://name.invalid:${port}/`;
    expect(await checkWebhookUrl(url, { resolveHost: rebound, allowed: LOCAL })).toBeUndefined();
    expect([await send(url, rebound), await send(url, rebound)]).toEqual([REFUSED, REFUSED]);
    expect(paths).toEqual([]);
  });

  it.each([
    ...["http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://[::ffff:10.0.0.1]/"],
    ...["http://2852039166/", "http://0x7f000002/", "http://0177.0.0.2/", "http://127.2/", "http://①②⑦.0.0.2/"],
  ])("to %s is refused", async (url) => expect(await send(url, resolvesTo())).toEqual(REFUSED));

  it("does not follow redirects", async () => {
    const { port, paths } = await listen((response) => response.writeHead(302, { location: "/other" }).end());
    const answer = await send(`http://127.0.0.1:${port}/`, resolvesTo());
    expect(answer).toEqual({ statusCode: 302, error: "it answered 302" });
    expect(paths).toHaveLength(1);
  });

  it("keeps a short excerpt of what a failure says, in one line, and reads no more than the beginning", async () => {
    const { port } = await listen((response) => {
      response.writeHead(500);
      response.write("broken\n\u0000here ");
      const more = () => response.write("x".repeat(60_000), more);
      more();
    });
    const { statusCode, error } = await send(`http://127.0.0.1:${port}/`, resolvesTo());
    expect([statusCode, error?.slice(0, 37)]).toEqual([500, "it answered 500: broken here xxxxxxxx"]);
    expect(error?.length).toBeLessThan(250);
  });

  it("counts the head of an answer: a body that never ends changes nothing", async () => {
    const { port } = await listen((response) => response.writeHead(200).write("taken"));
    expect(await send(`http://127.0.0.1:${port}/`, resolvesTo())).toEqual({ statusCode: 200, error: null });
  });

  it("is given up when nothing is answered in time, by the receiver or about its name", async () => {
    const { port } = await listen(() => undefined);
    const none = { statusCode: null, error: "no answer within 0.1 s" };
    expect(await send(`http://127.0.0.1:${port}/`, resolvesTo(), 100)).toEqual(none);
    const hanging: ResolveHost = (_name, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    expect(await send("http://name.invalid/", hanging, 100)).toEqual(none);
  });

  it("says why there was no answer, without addresses", async () => {
    const { port } = await listen(() => undefined);
    server?.close();
    const refused = { statusCode: null, error: "the connection failed: ECONNREFUSED" };
    expect(await send(`http://127.0.0.1:${port}/`, resolvesTo())).toEqual(refused);
    const unknown: ResolveHost = () => Promise.reject(new Error("ENOTFOUND"));
    const unresolved = { statusCode: null, error: "the name does not resolve" };
    expect(await send("http://name.invalid/", unknown)).toEqual(unresolved);
  });
});

describe("an address that is saved", () => {
  const check = (url: string, resolveHost: ResolveHost = resolvesTo("93.184.216.34")) =>
    checkWebhookUrl(url, { resolveHost, allowed: [] });

  it.each([
    "https://example.com/hook",
    "http://example.com:8080/a?b=c",
    "https://1.1.1.1/",
    "https://[2606:4700::1111]/",
  ])("may be %s", async (url) => expect(await check(url)).toBeUndefined());

  it.each([
    ...["ftp://example.com/", "example.com", "https://", "https://a b/", " https://example.com/", "https:/example.com"],
    ...["https://user@example.com/", "https://user:password@example.com/", "https://:@example.com:99999/"],
    ...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://017700000001/"],
    ...[
      "http://0/",
      "http://169.254.169.254/",
      "http://0xa9fea9fe/",
      "http://[::]/",
      "http://[::1]/",
      "http://10.0.0.1./",
    ],
    ...["http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/", "http://[64:ff9b::a00:1]/", "http://[fd00:ec2::254]/"],
    ...["http://[fe80::1]/", "http://192.168.0.1:80/", "http://100.64.0.1/", "http://１２７.0.0.1/"],
  ])("must not be %s", async (url) => expect(await check(url)).toEqual(expect.stringMatching(/^must /)));

  it("must not be a name of which one address is not public", async () => {
    const problem = await check("https://example.com/", resolvesTo("93.184.216.34", "fd00::1"));
    expect(problem).toMatch(/public Internet/);
  });

  it("may be a name that does not resolve now", async () => {
    expect(await check("https://example.com/", () => Promise.reject(new Error("ENOTFOUND")))).toBeUndefined();
  });
});
