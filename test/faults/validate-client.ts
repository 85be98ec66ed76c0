import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { PROJECT_KEY } from "../harness/service.ts";
import type { Call, Outcome } from "./ledger.ts";

/** Longer than any answer takes, also that of a node that was paused. */
const TIMEOUT_MS = 30_000;

export interface ValidateRequest {
  key: string;
  consumerId: string;
  cost: number;
  requestId?: string | undefined;
}

/** A client that keeps its connections, and writes down what came of its calls. */
export interface ValidateClient {
  /** @returns undefined when no connection was made, so that the call never reached the service */
  validate(request: ValidateRequest): Promise<Call | undefined>;
  close(): void;
}

export interface ClientOptions {
  client: number;
  /** What the node is called in the records. */
  node: string;
  url: () => string;
  connectionsMax?: number;
}

/** Epoch milliseconds that only go forward, of the clock that the database has too. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

export function openValidateClient({ client, node, url, connectionsMax = 1 }: ClientOptions): ValidateClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  return {
    async validate({ key, consumerId, cost, requestId }) {
      const body = JSON.stringify({ key, credits: cost, requestId });
      const startMs = nowMs();
      const outcome = await post(`${url()}/key/validate`, body, agent);
      if (outcome === "never reached") return undefined;
      return { client, node, consumerId, cost, requestId, startMs, endMs: nowMs(), outcome };
    },
    close: () => agent.destroy(),
  };
}

async function post(url: string, body: string, agent: Agent): Promise<Outcome | "never reached"> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        ...{ "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        authorization: `Bearer ${PROJECT_KEY}`,
      };
      const call = request(url, { method: "POST", agent, headers, timeout: TIMEOUT_MS }, resolve);
      call.on("timeout", () => call.destroy(new Error("no answer in time"))).on("error", reject);
      call.end(body);
    });
    return outcomeOf(response, JSON.parse(await text(response)));
  } catch (error) {
    const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
    if (reason === "ECONNREFUSED") return "never reached";
    return { kind: "failure", reason, requestId: undefined, retryAfter: undefined };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of either shape
function outcomeOf({ statusCode, headers }: IncomingMessage, body: any): Outcome {
  if (statusCode !== 200) {
    const requestId = typeof body.requestId === "string" ? body.requestId : undefined;
    return {
      kind: "failure",
      reason: `${statusCode} ${String(body.type).replace("urn:keysvc:problem:", "")}`,
      requestId,
      retryAfter: headers["retry-after"],
    };
  }
  const { code, requestId, credits, rateLimit } = body;
  return {
    ...{ kind: "verdict", code, requestId },
    credits: credits && {
      ...{ limit: credits.limit, used: credits.used, remaining: credits.remaining, cost: credits.cost },
      nextRefillAt: credits.nextRefillAt ?? undefined,
    },
    rateLimit: rateLimit && {
      ...{ limit: rateLimit.limit, remaining: rateLimit.remaining, resetAt: rateLimit.resetAt },
    },
  };
}
