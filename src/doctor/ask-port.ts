import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIPv6 } from "node:net";
import { text } from "node:stream/consumers";
import { askHealth } from "../rpc/ask-health.ts";

/** Where a service may listen. */
export interface Place {
  host: string;
  port: number;
  isSecure: boolean;
}

/** What a service of ours says of itself on a port, such as "ready"; undefined: it is another program's. Never rejects. */
export type Ask = (place: Place) => Promise<string | undefined>;

const TIMEOUT_MS = 3_000;

/** Of the main port: what /readyz says. */
export const askMainPort: Ask = async (place) => {
  const answer = await get(place, "/readyz");
  return answer?.isOurs ? /"status":"(\w+)"/.exec(answer.body)?.[1] : undefined;
};

/** Of the metrics port, which is in plain text: whether it has metrics of ours, or keeps them from strangers. */
export const askMetricsPort: Ask = async (place) => {
  const answer = await get({ ...place, isSecure: false }, "/metrics");
  const hasMetrics = answer?.status === 200 && /^keysvc_/m.test(answer.body);
  return hasMetrics || (answer?.status === 401 && answer.isOurs) ? "ready" : undefined;
};

/** Of the gRPC port: what its health says of our services. */
export const askGrpcPort: Ask = async ({ host, port, isSecure }) => {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const isServing = await askHealth({ address, isSecure, timeoutMs: TIMEOUT_MS });
  if (isServing === undefined) return undefined;
  return isServing ? "ready" : "stopping";
};

interface Answer {
  status: number | undefined;
  /** Whether it has a request id as the service makes them. */
  isOurs: boolean;
  body: string;
}

/** Nothing is told to whoever answers; whether the certificate is good is looked at by itself. */
function get({ host, port, isSecure }: Place, path: string): Promise<Answer | undefined> {
  const options = { host, port, path, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return new Promise((resolve) => {
    const sent = isSecure ? requestSecure({ ...options, rejectUnauthorized: false }) : requestPlain(options);
    sent.once("error", () => resolve(undefined));
    sent.once("response", (response) => {
      const isOurs = /^req_/.test(String(response.headers["x-request-id"]));
      text(response).then(
        (body) => resolve({ status: response.statusCode, isOurs, body }),
        () => resolve(undefined),
      );
    });
    sent.end();
  });
}
