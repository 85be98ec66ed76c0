import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 10;

/** Systems give ports above these to whoever asks for any, and to every connection that goes out. */
const FIRST_PORT = 20_000;
const END_PORT = 30_000;

/** Those that were given out, where perhaps nobody listens yet. */
const given = new Set<number>();

/**
 * A TCP port of 127.0.0.1 that was free a moment ago, of those that the system gives nobody by itself: who listens there, ends
 * and comes back finds it free again. No process is given one twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}

/**
 * Resolves when 127.0.0.1:port accepts connections, or when `ended` has settled. Asked by plain connections, because a
 * driver that finds nobody waits half a second before it tries again.
 */
export async function waitUntilListening(port: number, ended: Promise<unknown>): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  ended.then(end, end);
  while (!over && !(await accepts(port))) await sleep(POLL_INTERVAL_MS);
}

/** Whether something listens on 127.0.0.1:port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
