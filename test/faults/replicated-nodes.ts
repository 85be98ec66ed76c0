import { afterAll, afterEach, beforeAll } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { type ReplicaSet, startReplicaSet } from "../harness/replica-set.ts";
import { PROJECT_KEY, SECRET } from "../harness/service.ts";

/** A replica set for the tests of a file, and nodes of the service on it. */
export interface ReplicatedNodes {
  /** There are three members while tests run. */
  readonly set: ReplicaSet;
  /** Starts a node, which is killed after the test. */
  start(database: string, port?: string): Promise<ServiceProcess>;
  /** Kills the primary, and brings it back when there is another one and the pause is over. */
  failOver(pause: () => Promise<unknown>): Promise<void>;
}

/** Starts the set before the tests of a file, and stops it after them. */
export function replicatedNodes(settings: Record<string, string> = {}): ReplicatedNodes {
  let started: ReplicaSet | undefined;
  let nodes: ServiceProcess[] = [];
  const running = () => {
    if (started === undefined) throw new Error("there is a replica set only within tests");
    return started;
  };
  beforeAll(async () => {
    started = await startReplicaSet();
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
    nodes = [];
  });
  afterAll(() => started?.stop());
  return {
    get set() {
      return running();
    },
    async start(database, port) {
      const node = await startProcess({
        ...{ KEYSVC_MONGODB_URI: running().uri(database), KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET },
        ...{ ...(port !== undefined && { KEYSVC_PORT: port }), KEYSVC_LOG_LEVEL: "info", ...settings },
      });
      nodes.push(node);
      return node;
    },
    async failOver(pause) {
      const primary = await running().primary();
      await running().kill(primary);
      await running().primary();
      await pause();
      await running().restart(primary);
    },
  };
}
