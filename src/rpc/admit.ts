import type { GatewayMethod } from "../../gen/gateway.js";
import type { Caller } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";

/** One for all: whoever guesses makes thousands a second, and the stack of each would cost as much as its look-up. */
const WRONG_CREDENTIAL = new Fault("WRONG_CREDENTIAL", "the credential is unknown, malformed or revoked");

/**
 * Lets a caller pass who may call a method. Throws WRONG_CREDENTIAL and SCOPE_MISSING.
 *
 * @param caller who the credential belongs to; undefined: nobody
 */
export function admit(method: GatewayMethod, caller: Caller | undefined): Caller {
  if (caller === undefined) throw WRONG_CREDENTIAL;
  if (!mayCall(caller, method)) throw new Fault("SCOPE_MISSING", `the call needs the scope ${method.scope}`);
  return caller;
}

/** `manage` is everything in a project; the operator's credential opens the operator's methods alone. */
function mayCall({ scopes }: Caller, { scope }: GatewayMethod): boolean {
  if (scopes.has(scope)) return true;
  return scope !== "operator" && scopes.has("manage");
}
