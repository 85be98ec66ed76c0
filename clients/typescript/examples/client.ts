// A consumer with a key, and its validation. In your project, import from "keysvc/client".
import { ApiError, KeysvcClient } from "../src/index.ts";

const client = new KeysvcClient(); // KEYSVC_BASE_URL and KEYSVC_PROJECT_KEY
try {
  const { consumerId } = await client.consumer.create({ name: "Acme", credits: { limit: 1_000 } });
  const { key } = await client.key.create({ consumerId });
  const { allowed, reason, creditsRemaining } = await client.verify(key, { credits: 5 });
  console.log({ allowed, reason, creditsRemaining });
  for await (const row of await client.analytics.logsExport({ source: "key_activity", timeRange: "1h" })) {
    console.log(row.requestId, row.code);
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.statusCode, error.code, error.message, error.fields);
  process.exitCode = 1;
} finally {
  await client.close();
}
