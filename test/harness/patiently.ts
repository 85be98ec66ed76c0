import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./service.ts";

/** Both say that nothing was done. */
const NOTHING_DONE = ["urn:keysvc:problem:contended", "urn:keysvc:problem:overloaded"];
const PAUSE_MS = 50;

/**
 * Calls again after 503 CONTENDED and OVERLOADED, as callers are told to: what is counted in the end would be too much if
 * anything was done. How long many calls at once take, and who has to wait too long, is the machine's affair.
 */
export async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 || !NOTHING_DONE.includes(answer.body.type)) return answer;
    await sleep(PAUSE_MS);
  }
}
