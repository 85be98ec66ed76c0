import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 10;

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
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
