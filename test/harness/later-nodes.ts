import { startService, type TestService } from "./service.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Long enough for what a test does before it looks from later on. */
export const MARGIN_MS = 60_000;

/** Nodes on the database of a service whose clocks are ahead: what they answer is what will be answered then. */
export interface LaterNodes {
  /** The node that is so far ahead; made once. */
  after(laterMs: number): Promise<TestService>;
  stop(): Promise<void>;
}

export function openLaterNodes({ databaseUri }: TestService): LaterNodes {
  const nodes = new Map<number, Promise<TestService>>();
  return {
    after(laterMs) {
      const settings = { KEYSVC_MONGODB_URI: databaseUri, KEYSVC_TEST_CLOCK_OFFSET_MS: String(laterMs) };
      const node = nodes.get(laterMs) ?? startService(settings);
      nodes.set(laterMs, node);
      return node;
    },
    async stop() {
      for (const node of await Promise.all(nodes.values())) await node.app.stop();
      nodes.clear();
    },
  };
}
