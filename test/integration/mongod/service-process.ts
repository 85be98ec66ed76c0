// A stand-in for the service, for tests that kill it: starts the embedded database in argv[2], prints {uri, pid}, and on
// SIGTERM writes one last document before it stops the database, as the service's last flush does.
import { MongoClient } from "mongodb";
import { startEmbeddedMongod } from "../../../src/mongod/start-embedded-mongod.ts";

const [dataDir, cacheDir] = process.argv.slice(2);
if (dataDir === undefined || cacheDir === undefined) throw new Error("usage: service-process <dataDir> <cacheDir>");
const mongod = await startEmbeddedMongod({ dataDir, cacheDir, report: () => undefined });

process.on("SIGTERM", async () => {
  // Long enough for a mongod that got the signal too to be gone.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const client = await new MongoClient(mongod.uri).connect();
  await client.db().collection("probe").insertOne({ last: true });
  await client.close();
  await mongod.stop();
});

process.stdout.write(`${JSON.stringify({ uri: mongod.uri, pid: mongod.pid })}\n`);
