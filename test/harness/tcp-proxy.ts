import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What becomes of the bytes: "cut" resets and refuses connections, "frozen" accepts them and forwards nothing. */
export type Passage = "open" | "cut" | "frozen";

/** A TCP proxy in front of one port of this machine, whose passage can be closed while connections are open. */
export interface TcpProxy {
  port: number;
  setPassage(passage: Passage): void;
  /** Holds up every chunk of either direction by so long, in its order. */
  setDelay(delayMs: number): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
}

/** The URI of a database by way of a proxy in front of it: a driver that knew the members would go past it. */
export function uriBehind({ port }: TcpProxy, databaseUri: URL): string {
  const uri = new URL(databaseUri);
  uri.port = String(port);
  uri.searchParams.delete("replicaSet");
  uri.searchParams.set("directConnection", "true");
  return uri.href;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let passage: Passage = "open";
  let delayMs = 0;

  const destroy = (pair: Pair) => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  };
  const forward = (from: Socket, to: Socket) => {
    from.on("data", (chunk: Buffer) => {
      if (delayMs > 0) setTimeout(() => to.destroyed || to.write(chunk), delayMs);
      else if (!to.write(chunk)) from.pause();
    });
    to.on("drain", () => passage !== "frozen" && from.resume());
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (passage === "cut") {
      client.resetAndDestroy();
      return;
    }
    const pair = { client, upstream: connect({ port: targetPort, host: "127.0.0.1", noDelay: true }) };
    pairs.add(pair);
    for (const socket of [pair.client, pair.upstream]) {
      socket.on("error", () => destroy(pair)).on("close", () => destroy(pair));
    }
    forward(pair.client, pair.upstream);
    forward(pair.upstream, pair.client);
    if (passage === "frozen") setFlowing(pair, false);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");

  return {
    port: address.port,
    setPassage(next) {
      passage = next;
      if (next === "cut") for (const pair of pairs) destroy(pair);
      // What a frozen passage has swallowed goes on when it is opened, as packets that are sent again do.
      for (const pair of pairs) setFlowing(pair, next === "open");
    },
    setDelay(next) {
      delayMs = next;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const pair of pairs) destroy(pair);
      await closed;
    },
  };
}

function setFlowing({ client, upstream }: Pair, isFlowing: boolean): void {
  for (const socket of [client, upstream]) {
    if (isFlowing) socket.resume();
    else socket.pause();
  }
}
