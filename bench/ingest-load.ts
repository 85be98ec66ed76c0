import { connect } from "node:net";
import { MongoClient } from "mongodb";
import type { TrafficDocument } from "../src/journal/traffic-document.ts";
import { createBatch, newDocuments, renewBody } from "./ingest-bodies.ts";
import type { LoadResult } from "./load.ts";
import { percentile } from "./percentile.ts";

/** Events that are sent or inserted, so many at once, on so many connections for so long. */
export interface IngestPlan {
  /** A service to call, or a collection of the database `control` to insert into. */
  to: { port: number; credential: string } | { uri: string; collection: string };
  projectId: string;
  connections: number;
  batchEvents: number;
  seconds: number;
}

/** Sends one batch; false when it was not taken as a whole. */
type Send = () => Promise<boolean>;

/** Of a connection: in turns, so that what is repeated is not in one cache. */
const BATCHES = 4;

/** The load of a plan, its only argument, as JSON. Prints the result as JSON; calls, not events, are counted. */
const plan: IngestPlan = JSON.parse(process.argv[2] ?? "");

async function openConnections(): Promise<Send[]> {
  const each = Array.from({ length: plan.connections });
  const { to } = plan;
  if ("port" in to) return each.map(() => senderOf(to));
  const client = await MongoClient.connect(to.uri, {
    ...{ writeConcern: { w: "majority" }, maxPoolSize: plan.connections, minPoolSize: plan.connections },
    ignoreUndefined: true,
  });
  const collection = client.db("control").collection<TrafficDocument>(to.collection);
  return each.map(() => {
    const next = batches();
    return async () => {
      const { batch, sending } = next();
      const documents = newDocuments(batch, sending);
      // Unordered, so that the events of a bucket are written together.
      return (await collection.insertMany(documents, { ordered: false })).insertedCount === plan.batchEvents;
    };
  });
}

function batches() {
  const own = Array.from({ length: BATCHES }, () => createBatch(plan.projectId, plan.batchEvents));
  let sending = 0;
  return () => {
    const batch = own[sending % BATCHES];
    if (batch === undefined) throw new Error("no batches");
    return { batch, sending: sending++ };
  };
}

/** Calls of a raw HTTP/1.1 connection: much cheaper than the client of Node. */
function senderOf({ port, credential }: { port: number; credential: string }): Send {
  const next = batches();
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const expected = `"accepted":${plan.batchEvents},`;
  let text = "";
  let answered: (isTaken: boolean) => void = () => {};
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const headEnd = text.indexOf("\r\n\r\n");
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (headEnd < 0 || length === undefined || text.length < headEnd + 4 + Number(length)) return;
    const isTaken = text.startsWith("200", 9) && text.includes(expected);
    text = "";
    answered(isTaken);
  });
  socket.on("error", stop);
  socket.on("close", () => stop(new Error("the server closed a connection")));
  return () => {
    const { batch, sending } = next();
    renewBody(batch, sending);
    const head = `POST /ingest HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${credential}`;
    socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${batch.body.length}\r\n\r\n`);
    socket.write(batch.body);
    return new Promise((resolve) => {
      answered = resolve;
    });
  };
}

function stop(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function run(): Promise<LoadResult> {
  const latencies: number[] = [];
  let failed = 0;
  const connections = await openConnections();
  const startMs = performance.now();
  const endMs = startMs + 1_000 * plan.seconds;
  const work = async (send: Send) => {
    for (let sentMs = performance.now(); sentMs < endMs; sentMs = performance.now()) {
      // What is under way at the end is waited for, so that what was taken is known exactly.
      if (await send()) latencies.push(performance.now() - sentMs);
      else failed++;
    }
  };
  await Promise.all(connections.map(work));
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return { answered: latencies.length, failed, seconds: (performance.now() - startMs) / 1_000, p50Ms, p99Ms };
}

process.stdout.write(`${JSON.stringify(await run())}\n`, () => process.exit(0));
