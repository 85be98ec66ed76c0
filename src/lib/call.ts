import type { DescMethodUnary, DescService, Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Scope } from "../../gen/gateway.js";
import type { FieldError } from "./fault.ts";

/** What stands for the id of the operator's credential, which is not stored. */
export const OPERATOR = "operator";

/** Who calls. */
export interface Caller {
  /** The project; empty for the operator, who belongs to none. */
  projectId: string;
  /** The credential's id, as the audit log shows it. */
  credentialId: string;
  scopes: ReadonlySet<Scope>;
  /** The credential itself, which consumer responses repeat. Never logged, never stored. */
  credential: string;
}

/**
 * What could not be read in elements of a list that the method judges each alone (`each_alone` in the proto files), by the
 * element that stands in its place. Paths are those within the element; empty: the element as a whole.
 */
export type ElementErrors = Map<Message, readonly FieldError[]>;

/** What a handler knows of the call that it answers. */
export interface Call {
  requestId: string;
  caller: Caller;
  /** Puts a header on the answer over JSON; the other protocols leave it out. */
  setHeader: (name: string, value: string) => void;
  elementErrors: Readonly<ElementErrors>;
}

/** A method's implementation. Throws a Fault for what the caller is to know; anything else is an internal fault. */
export type Handler<Method extends DescMethodUnary> = (
  request: MessageShape<Method["input"]>,
  call: Call,
) => Promise<MessageInitShape<Method["output"]>>;

/** The implementation of a service; methods that are left out answer NOT_BUILT. */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service["method"]]?: Service["method"][Name] extends DescMethodUnary
    ? Handler<Service["method"][Name]>
    : never;
};
