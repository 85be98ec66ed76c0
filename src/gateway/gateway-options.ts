import type { GatewayMethod } from "../../gen/gateway.js";
import type { FaultReason } from "../lib/fault.ts";
import type { Invoker } from "../rpc/invoke.ts";

/** What the JSON paths need. */
export interface GatewayOptions {
  methods: readonly GatewayMethod[];
  invoker: Invoker;
  /** Is told of errors that are no Faults, with the id that the caller was shown. */
  logError: (error: unknown, requestId: string) => void;
  /** Is told of every fault that a call is answered with. */
  onFault: (reason: FaultReason) => void;
}
