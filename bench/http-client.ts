import { Agent, request } from "node:http";

/** Calls JSON paths of one service over connections that are kept. */
export interface BenchClient {
  /** Answers the body. Rejects for every status but 200. */
  // Bodies of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: as said
  call(path: string, body: object): Promise<any>;
  close(): void;
}

export function createBenchClient(url: string, credential: string): BenchClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
  return {
    call: (path, body) =>
      new Promise((resolve, reject) => {
        const call = request(url + path, { method: "POST", agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            if (response.statusCode === 200) resolve(JSON.parse(text));
            else reject(new Error(`${path}: ${response.statusCode} ${text}`));
          });
        });
        call.on("error", reject);
        call.end(JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}
