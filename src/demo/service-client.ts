import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Calls the JSON paths of a service over connections that are kept alive. */
export interface ServiceClient {
  /**
   * Posts a body, and resolves with that of the answer.
   *
   * @throws when the answer is not 200, with what the service said
   */
  post<Answer>(path: string, body: object): Promise<Answer>;
  /** The same of a call that changes nothing: it is made again after a while when the answer is 503. */
  ask<Answer>(path: string, body: object): Promise<Answer>;
  /**
   * Asks, and resolves with all rows of a path that gives them one by one.
   *
   * @throws like ask, and when the rows break off
   */
  askForRows<Row>(path: string, body: object): Promise<Row[]>;
  /** Closes the connections; calls under way fail. */
  close(): void;
}

const JSON_TYPE = "application/json";
const UNAVAILABLE = 503;
const TRIES_MAX = 5;

/**
 * @param port on 127.0.0.1
 * @param connectionsMax calls beyond these wait for a connection
 */
export function createServiceClient(port: number, projectKey: string, connectionsMax: number): ServiceClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  const send = (path: string, body: string, accept: string) => {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        accept,
        "content-type": JSON_TYPE,
        "content-length": Buffer.byteLength(body),
        authorization: `Bearer ${projectKey}`,
      };
      const call = request({ agent, host: "127.0.0.1", port, path, method: "POST", headers }, resolve);
      call.on("error", reject);
      call.end(body);
    });
  };
  const textOf = async (path: string, body: object, accept: string, triesMax: number) => {
    for (let tries = 1; ; tries++) {
      const response = await send(path, JSON.stringify(body), accept);
      const answer = await text(response);
      if (response.statusCode === 200) return answer;
      if (response.statusCode !== UNAVAILABLE || tries === triesMax) {
        throw new Error(`${path} answered ${response.statusCode}: ${answer}`);
      }
      await sleep(Number(response.headers["retry-after"] ?? 1) * 1_000);
    }
  };
  // The service's own tests hold it to the shape of its answers.
  return {
    async post<Answer>(path: string, body: object) {
      return JSON.parse(await textOf(path, body, JSON_TYPE, 1)) as Answer;
    },
    async ask<Answer>(path: string, body: object) {
      return JSON.parse(await textOf(path, body, JSON_TYPE, TRIES_MAX)) as Answer;
    },
    async askForRows<Row>(path: string, body: object) {
      const lines = (await textOf(path, body, "application/x-ndjson", TRIES_MAX)).split("\n");
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
    },
    close: () => agent.destroy(),
  };
}
