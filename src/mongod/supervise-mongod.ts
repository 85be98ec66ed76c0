import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedMongod, type EmbeddedMongodOptions, startEmbeddedMongod } from "./start-embedded-mongod.ts";

export interface SupervisedMongod {
  /** For the official driver; contains the password, so it must not be logged. Stays the same over restarts. */
  uri: string;
  /** The process that runs now. */
  pid(): number;
  /** Flushes, stops and resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;

/**
 * Runs an embedded mongod and starts it again, on the same data and port, whenever it ends by itself: the service then sees
 * an outage of about a second instead of the end of its database. Rejects when the first start fails.
 */
export async function superviseMongod(options: EmbeddedMongodOptions): Promise<SupervisedMongod> {
  let mongod = await startEmbeddedMongod(options);
  const { port, uri } = mongod;
  let isStopping = false;
  const supervision = supervise();

  async function supervise(): Promise<void> {
    while (!isStopping) {
      const code = await mongod.exited;
      if (isStopping) return;
      options.report(`mongod ended with ${code ?? "an unknown exit code"}; starting it again`);
      mongod = await restart(mongod);
    }
  }

  async function restart(ended: EmbeddedMongod): Promise<EmbeddedMongod> {
    while (!isStopping) {
      try {
        return await startEmbeddedMongod({ ...options, mongodPort: port });
      } catch (error) {
        options.report(`mongod could not be started again: ${error instanceof Error ? error.message : error}`);
        await sleep(RETRY_MS);
      }
    }
    return ended;
  }

  return {
    uri,
    pid: () => mongod.pid,
    async stop() {
      isStopping = true;
      await mongod.stop();
      // A restart that was under way has a mongod of its own.
      await supervision;
      await mongod.stop();
    },
  };
}
