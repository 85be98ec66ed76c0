import { setTimeout as sleep } from "node:timers/promises";
import { PROJECT_KEY, postJson } from "../harness/service.ts";

/** What clients sent, and were told. */
export interface IngestRecords {
  /** Ids of events of calls that were acknowledged, at whichever attempt. */
  acknowledged: string[];
  /** Ids of events of calls that failed, and were not made again. */
  doubtful: string[];
  /** Calls that failed, made again or not, by what they failed with. */
  failures: Map<string, number>;
  /** Answers that did not say of each event what became of it. */
  wrong: string[];
}

export interface IngestLoadOptions {
  clients: number;
  /** The nodes at this moment. */
  urls: () => string[];
  eventsMax: number;
}

const RETRY_PAUSE_MS = 100;
/** How many of the calls that failed are given up. */
const GIVEN_UP_EVERY = 10;

/** Clients that send events until they are told to stop. A call that failed is made again with the same ids, on any node. */
export function startIngestLoad({ clients, urls, eventsMax }: IngestLoadOptions) {
  const records: IngestRecords = { acknowledged: [], doubtful: [], failures: new Map(), wrong: [] };
  let isStopped = false;
  let calls = 0;

  async function send(ids: readonly string[], url: string): Promise<boolean> {
    const events = ids.map((requestId) => ({ requestId, method: "GET", path: "/v1/things", statusCode: 200 }));
    const answer = await postJson(`${url}/ingest`, { events }, PROJECT_KEY).catch(() => undefined);
    if (answer?.status === 200) {
      const { accepted, duplicates, rejected } = answer.body;
      if (accepted + duplicates !== ids.length || rejected.length > 0) records.wrong.push(JSON.stringify(answer.body));
      return true;
    }
    const reason = answer === undefined ? "no answer" : `${answer.status} ${answer.body.type}`;
    records.failures.set(reason, (records.failures.get(reason) ?? 0) + 1);
    return false;
  }

  async function runClient(client: number): Promise<void> {
    for (let count = 0; !isStopped; count++) {
      const call = ++calls;
      const ids = Array.from({ length: 1 + (call % eventsMax) }, (_, index) => `${client}-${count}-${index}`);
      for (let attempt = 0; ; attempt++) {
        const all = urls();
        if (await send(ids, all[(client + attempt) % all.length] ?? "")) {
          records.acknowledged.push(...ids);
          break;
        }
        if (call % GIVEN_UP_EVERY === 0) {
          records.doubtful.push(...ids);
          break;
        }
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  const running = Array.from({ length: clients }, (_, client) => runClient(client));
  return {
    records,
    /** Resolves when every call is acknowledged or given up. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
