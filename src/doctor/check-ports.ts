import { connect, createServer } from "node:net";
import type { Config } from "../config.ts";
import { type Ask, askGrpcPort, askMainPort, askMetricsPort } from "./ask-port.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const TIMEOUT_MS = 3_000;

type PortConfig = Pick<Config, "host" | "port" | "grpcPort" | "metricsPort" | "tls">;

/** Whether the ports are free, or a service of ours has them. Those that are picked at the start are left out. */
export async function checkPorts({ host, port, grpcPort, metricsPort, tls }: PortConfig): Promise<Finding[]> {
  const ports: [name: string, port: number | undefined, ask: Ask][] = [
    ["KEYSVC_PORT", port, askMainPort],
    ["KEYSVC_GRPC_PORT", grpcPort, askGrpcPort],
    ["KEYSVC_METRICS_PORT", metricsPort, askMetricsPort],
  ];
  const findings = ports.map(async ([name, number, ask]) => {
    if (number === undefined || number === 0) return [];
    const place = { host: addressOf(host), port: number, isSecure: tls !== undefined };
    return [await checkPort(name, host, number, () => ask(place))];
  });
  return (await Promise.all(findings)).flat();
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
