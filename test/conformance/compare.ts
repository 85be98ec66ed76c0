import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { Failure, Outcome, ProtocolClient } from "../harness/clients.ts";

/**
 * Makes the same call by every client.
 *
 * @param request one for all, or what makes one for each, with a target of its own
 */
export async function callAll(
  clients: readonly ProtocolClient[],
  method: DescMethod,
  request: JsonObject | (() => Promise<JsonObject>),
  credential: string | undefined,
): Promise<Map<string, Outcome>> {
  const outcomes = clients.map(async (client) => {
    const one = typeof request === "function" ? await request() : request;
    return [client.name, await client.call(method, one, credential)] as const;
  });
  return new Map(await Promise.all(outcomes));
}

type Told = Omit<Failure, "ok" | "requestId" | "errorRequestId">;

/** Expects that every client was told the same fault, and the id of its own call with it; returns what they were told. */
export function expectSameFault(outcomes: Map<string, Outcome>): Told {
  const all = [...outcomes].map(([name, outcome]) => {
    if (outcome.ok) throw new Error(`${name} answered ${JSON.stringify(outcome.response)}`);
    const { ok: _ok, requestId, errorRequestId, ...told } = outcome;
    expect(requestId, `X-Request-Id, ${name}`).toMatch(/^req_\w+$/);
    expect(errorRequestId, `the request id in the error, ${name}`).toBe(requestId);
    return [name, told] as const;
  });
  return expectSame(all);
}

/** Expects that every client got the same response, but for the volatile fields; returns it. */
export function expectSameResponse(outcomes: Map<string, Outcome>, volatile: Record<string, RegExp>): JsonObject {
  const all = [...outcomes].map(([name, outcome]) => {
    if (!outcome.ok) throw new Error(`${name} was refused: ${JSON.stringify(outcome)}`);
    expect(outcome.requestId, `X-Request-Id, ${name}`).toMatch(/^req_\w+$/);
    return [name, hide(outcome.response, volatile, name)] as const;
  });
  return expectSame(all);
}

/** A volatile field must have its form; then its place alone is compared. */
function hide(response: JsonObject, volatile: Record<string, RegExp>, name: string): JsonObject {
  const hidden = structuredClone(response);
  for (const [path, form] of Object.entries(volatile)) {
    const names = path.split(".");
    const field = names.pop() ?? "";
    // What a path leads through holds fields; an array holds them under their places.
    const holder = names.reduce((value, inner) => value[inner] as JsonObject, hidden);
    expect(String(holder[field]), `${path}, ${name}`).toMatch(form);
    holder[field] = `<${path}>`;
  }
  return hidden;
}

function expectSame<Value>(all: readonly (readonly [string, Value])[]): Value {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) throw new Error("there is nothing to compare");
  for (const [name, value] of others) expect(value, `${name} against ${first[0]}`).toStrictEqual(first[1]);
  return first[1];
}
