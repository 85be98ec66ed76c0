import { lookup, Resolver } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResolveHost } from "./address.ts";

const NAMESERVER_TIMEOUT_MS = 2_000;
/** When the nameservers have not answered by then, the machine itself is asked too. */
const PATIENCE_MS = 200;
/** The machine's look-up keeps one of four threads that everything shares until it gives up: others must be left. */
const MACHINE_LOOKUPS_MAX = 2;

/**
 * Resolves names. Nameservers are asked without a thread, so that names whose servers hang hold up nobody; the machine's
 * own look-up, which knows its hosts file, is asked when they do not know the name or take long.
 */
export function createHostResolver(): ResolveHost {
  let machineLookups = 0;

  async function askMachine(name: string): Promise<string[]> {
    if (machineLookups >= MACHINE_LOOKUPS_MAX) throw new Error("too many look-ups at once");
    machineLookups++;
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } finally {
      machineLookups--;
    }
  }

  return async (name, signal) => {
    const asked = askNameservers(name);
    const early = await Promise.race([asked.catch(() => []), sleep(PATIENCE_MS, [])]);
    if (early.length > 0) return early;
    return Promise.race([Promise.any([asked, askMachine(name)]), whenAborted(signal)]);
  };
}

/** Its addresses of both kinds. Rejects when it has none. */
async function askNameservers(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: NAMESERVER_TIMEOUT_MS, tries: 1 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new Error("the name does not resolve");
  return addresses;
}

/** Rejects when a signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
