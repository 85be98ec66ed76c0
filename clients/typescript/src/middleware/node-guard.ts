import type { IncomingMessage, ServerResponse } from "node:http";
import { connectionAddress } from "./client-address.ts";
import { remember } from "./context.ts";
import type { Guard } from "./guard.ts";
import { NodeCall, type NodeCallSource } from "./node-call.ts";
import { goneSignal, isGone, watchResponse } from "./node-response.ts";
import type { Admission, Passage } from "./passage.ts";

/** A request of Node's that is on its way through the guard. */
export interface NodeEntry<Raw> {
  passage: Passage<Raw>;
  admission: Admission;
}

/** Takes a request in, and watches its response; undefined when it is bypassed. What resolvers throw is thrown on. */
export async function enterNode<Raw extends object>(
  guard: Guard<Raw>,
  source: NodeCallSource<Raw> & { response: ServerResponse },
): Promise<NodeEntry<Raw> | undefined> {
  const { message, response, raw } = source;
  const passage = await guard.enter(new NodeCall(source));
  const { settings } = guard;
  if (passage === undefined || settings === undefined) return undefined;
  // Nobody will say any more that the connection has ended.
  if (settings.mode !== "ingest" && isGone(response)) return { passage, admission: { kind: "gone" } };
  const captured = { headers: settings.captureResponseHeaders ?? false, body: settings.captureResponseBody ?? false };
  if (passage.isToBeRecorded) watchResponse(message, response, captured, (answer) => passage.finish(answer));
  const admission = await passage.admit(settings.mode === "ingest" ? undefined : goneSignal(response));
  remember(message, passage);
  remember(raw, passage);
  return { passage, admission };
}

/** The address of the connection. */
export function socketAddress({ socket }: IncomingMessage): string | undefined {
  return connectionAddress(socket?.remoteAddress);
}
