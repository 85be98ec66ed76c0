import { openDataFolder } from "./data-folder.ts";
import { accepts } from "./port.ts";
import { isPrimary, uriOf } from "./replica-set.ts";

/**
 * Finds the embedded mongod that another process runs on the data directory right now.
 *
 * @returns its URI, which contains the password; undefined when none is running, or it is not ready
 */
export async function findRunningMongod(dataDir: string): Promise<string | undefined> {
  const folder = await openDataFolder(dataDir);
  const port = await folder.lastPort();
  // A plain connection first: the driver would look for a server that is gone for seconds.
  if (port === undefined || !(await accepts(port))) return undefined;
  const access = { port, password: folder.password };
  return (await isPrimary(access)) ? uriOf(access) : undefined;
}
