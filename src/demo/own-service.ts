import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { startApp } from "../app.ts";
import { readConfig } from "../config.ts";

/** A service that lives as long as the demo, with a database and data of its own. */
export interface OwnService {
  port: number;
  projectKey: string;
  /** Stops service and database, and removes their data. */
  stop(): Promise<void>;
}

/** What is taken from the surroundings; a demo must not touch the data or the ports of a service of theirs. */
const TAKEN_SETTINGS = ["KEYSVC_CACHE_DIR", "KEYSVC_MONGOD", "KEYSVC_LOG_LEVEL", "XDG_CACHE_HOME"];

/**
 * Starts the service in this process, on a free port of 127.0.0.1 and a temporary data folder. Whichever way the process
 * exits, short of being killed, the folder is removed.
 *
 * @param report takes lines for people
 */
export async function startOwnService(
  environment: Readonly<Record<string, string | undefined>>,
  report: (line: string) => void,
): Promise<OwnService> {
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-demo-"));
  const removeAtOnce = () => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", removeAtOnce);
  const removeData = async () => {
    await rm(dataDir, { recursive: true, force: true });
    process.off("exit", removeAtOnce);
  };
  const projectKey = randomBytes(24).toString("base64url");
  const taken = Object.fromEntries(TAKEN_SETTINGS.map((name) => [name, environment[name]]));
  const config = readConfig({
    KEYSVC_LOG_LEVEL: "warn",
    ...taken,
    KEYSVC_PORT: "0",
    KEYSVC_GRPC_PORT: "off",
    KEYSVC_DATA_DIR: dataDir,
    KEYSVC_PROJECT_KEY: projectKey,
  });
  try {
    // The log goes to stderr: stdout has the progress bar and the table.
    const log = pino({ level: config.logLevel }, pino.destination(2));
    const app = await startApp({ config, log, report });
    const stop = async () => {
      await app.stop();
      await removeData();
    };
    return { port: app.port, projectKey, stop };
  } catch (error) {
    await removeData();
    throw error;
  }
}
