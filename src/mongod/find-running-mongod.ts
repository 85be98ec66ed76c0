import { setTimeout as sleep } from "node:timers/promises";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { lockHolder } from "./data-lock.ts";
import { accepts } from "./port.ts";
import { isPrimary, uriOf } from "./replica-set.ts";

const READY_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/**
 * Finds the embedded mongod that another process runs on the data directory. One that is starting is waited for, one that
 * is stopping is not running.
 *
 * @returns its URI, which contains the password; undefined when none is running
 */
export async function findRunningMongod(dataDir: string): Promise<string | undefined> {
  const folder = await openDataFolder(dataDir);
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const uri = await readyUri(folder);
    if (uri !== undefined) return uri;
    if ((await lockHolder(folder.dbPath)) === undefined || Date.now() >= deadlineMs) return undefined;
    await sleep(POLL_INTERVAL_MS);
  }
}

async function readyUri({ lastPort, password }: DataFolder): Promise<string | undefined> {
  const port = await lastPort();
  // A plain connection first: the driver would look for a server that is gone for seconds.
  if (port === undefined || !(await accepts(port))) return undefined;
  return (await isPrimary({ port, password })) ? uriOf({ port, password }) : undefined;
}
