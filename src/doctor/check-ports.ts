import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { connect, createServer } from "node:net";
import type { Config } from "../config.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const TIMEOUT_MS = 3_000;

type PortConfig = Pick<Config, "host" | "port" | "grpcPort" | "metricsPort" | "tls">;

/** Whether the ports are free, or a service of ours has them. Those that are picked at the start are left out. */
export async function checkPorts(config: PortConfig): Promise<Finding[]> {
  const { host, port, grpcPort, metricsPort } = config;
  const main = port === 0 ? undefined : await checkPort("KEYSVC_PORT", host, port, () => readiness(config, port));
  const isServed = main?.message.includes("keysvc serves") ?? false;
  // Who listens beside the main port of ours is ours too: it could not have been started else.
  const beside = async () => (isServed ? "ready" : undefined);
  const others = [
    ["KEYSVC_GRPC_PORT", grpcPort],
    ["KEYSVC_METRICS_PORT", metricsPort],
  ] as const;
  const findings = others.map(async ([name, other]) => {
    return other === undefined || other === 0 ? [] : [await checkPort(name, host, other, beside)];
  });
  return [...(main === undefined ? [] : [main]), ...(await Promise.all(findings)).flat()];
}

/** @param ask what a service of ours says of itself on the port; undefined: it is another's */
async function checkPort(
  name: string,
  host: string,
  port: number,
  ask: () => Promise<string | undefined>,
): Promise<Finding> {
  const check = `port ${port}`;
  if (await accepts(addressOf(host), port)) {
    const state = await ask();
    if (state === "ready") return ok(check, `keysvc serves ${name}`);
    if (state !== undefined) {
      return warning(check, `keysvc serves ${name} and is ${state}`, "Wait, or look into its log if it stays so.");
    }
    return problem(check, `another program listens on it`, `Stop that one, or set ${name} to another port.`);
  }
  const error = await tryBind(host, port);
  if (error === undefined) return ok(check, `free for ${name}`);
  return problem(
    check,
    `it cannot be bound on ${host}: ${error}`,
    `Correct KEYSVC_HOST, or set ${name} to another port.`,
  );
}

/** A service that listens on every address is found on this machine's own. */
function addressOf(host: string): string {
  return { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket
      .once("connect", () => end(true))
      .once("timeout", () => end(false))
      .once("error", () => end(false));
  });
}

function tryBind(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** What /readyz of a service says; undefined: it is no service of ours. */
function readiness({ host, tls }: PortConfig, port: number): Promise<string | undefined> {
  const options = { host: addressOf(host), port, path: "/readyz", timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    // Nothing is told to whoever answers; whether the certificate is good is looked at by itself.
    const sent = tls === undefined ? requestPlain(options) : requestSecure({ ...options, rejectUnauthorized: false });
    sent.once("error", () => resolve(undefined)).once("timeout", () => sent.destroy());
    sent.once("response", async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      const isOurs = /^req_/.test(String(response.headers["x-request-id"]));
      resolve(isOurs ? /"status":"(\w+)"/.exec(text)?.[1] : undefined);
    });
    sent.end();
  });
}
