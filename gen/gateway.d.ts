// Generated from proto/keysvc/v1 by protoc-gen-keysvc. Do not edit.

import type { DescMethod, DescService } from "@bufbuild/protobuf";

/** What a credential may do; `operator` is the operator's own. */
export type Scope = "manage" | "read" | "validate" | "ingest" | "operator";

/** A method as the gateway serves it. */
export interface GatewayMethod {
  path: string;
  scope: Scope;
  maxRequestBytes: number;
  /** For methods that do long work; absent: the service's own limit. */
  answerTimeoutMs?: number;
  streaming: boolean;
  /** A stream without an end of its own: it is followed until the caller leaves or the service stops. */
  follows?: true;
  /** Of a streamed message with one field, which is a message: that field. It is what a row over JSON is. */
  rowField?: string;
  /** The path of the streaming method that answers here whoever accepts rows. */
  rowsBy?: string;
  rpc: DescMethod;
}

/** How a value is written in JSON. `long` is a 64-bit integer, written as a number. */
export type JsonKind = "string" | "bool" | "int" | "long" | "double" | "enum" | "message" | "struct" | "timestamp";

/** A field in JSON. Absent flags are false. */
export interface JsonField {
  /** The name in JSON, which is also the property of the message. */
  name: string;
  /** The name in the proto file, as update masks spell it. */
  protoName: string;
  kind: JsonKind;
  /** The enum or message, for those kinds. */
  type?: string;
  list?: true;
  /** The most elements that a request may have. */
  itemsMax?: number;
  /** Each element is read by itself: what is wrong within one is handed to the method. */
  alone?: true;
  /** Unset is told from zero, and is written as null. */
  nullable?: true;
  /** Carried by every request. */
  required?: true;
  /** No part of the update mask. */
  unmasked?: true;
  /** Left out when unset, where the rule is null. */
  omitWhenUnset?: true;
  /** A request may leave it out, and not send null. */
  neverNull?: true;
  /** Words that the method refuses in requests. */
  refusedWords?: string[];
  /** Left out where this other field, by its name in JSON, is unset. */
  omitWithout?: string;
  /** A lone value stands for a list of one. */
  singleOrList?: true;
  /** A number stands for a string, and digits for a number. */
  stringOrNumber?: true;
  /** Update masks go into this message. */
  merge?: true;
  /** The fields of the message are written in its place. */
  inline?: true;
}

/** A message in JSON. */
export interface JsonMessage {
  /** The property that takes the update mask. */
  mask?: string;
  fields: JsonField[];
}

/** Every service. */
export declare const services: readonly DescService[];
/** Every method. */
export declare const methods: readonly GatewayMethod[];
/** Every message by its type name. */
export declare const messages: Readonly<Record<string, JsonMessage>>;
/** The words of every enum by its type name, by number; null: no word. */
export declare const enums: Readonly<Record<string, readonly (string | null)[]>>;
