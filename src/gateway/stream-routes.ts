import type { FastifyReply, FastifyRequest } from "fastify";
import type { GatewayMethod } from "../../gen/gateway.js";
import { Fault } from "../lib/fault.ts";
import { chooseType } from "./choose-type.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { readBody } from "./read-body.ts";
import { CSV, NDJSON, type RowFormat, rowFormats } from "./row-formats.ts";
import { sendRows } from "./send-rows.ts";
import { traceparentOf } from "./traceparent-of.ts";

export type Answer = (request: FastifyRequest, reply: FastifyReply) => void;

const JSON_TYPE = "application/json";

/**
 * The answer of a path that gives rows, by what the caller accepts: all that a streaming method can be written as, and
 * beside the page of a unary one what is for files.
 *
 * @param answerPage how the page is answered
 */
export function answerByAccept(method: GatewayMethod, options: GatewayOptions, answerPage: Answer): Answer {
  const answers = method.streaming ? streamAnswers(method, options) : pageAnswers(method, options, answerPage);
  const offered = [...answers.keys()];
  return (request, reply) => {
    const type = chooseType(request.headers.accept, offered);
    const answer = type === undefined ? undefined : answers.get(type);
    if (answer !== undefined) return answer(request, reply);
    const shown = offered.map((name) => name.split(";", 1)[0]).join(", ");
    reply.send(new Fault("NOT_ACCEPTABLE", `Accept names nothing that this path answers with: ${shown}`));
  };
}

/** Clients ask for JSON by habit: they get the default. */
function streamAnswers(method: GatewayMethod, options: GatewayOptions): Map<string, Answer> {
  const formats = [...rowFormats(method)];
  const answers = new Map(formats.map(([type, format]) => [type, rowsAnswer(method, format, options)]));
  const [first] = answers.values();
  if (first !== undefined) answers.set(JSON_TYPE, first);
  return answers;
}

function pageAnswers(method: GatewayMethod, options: GatewayOptions, answerPage: Answer): Map<string, Answer> {
  const rows = options.methods.find(({ path }) => path === method.rowsBy);
  if (rows === undefined) throw new Error(`${method.rowsBy} is not in the gateway table`);
  const formats = [...rowFormats(rows)].filter(([type]) => type === NDJSON || type === CSV);
  const files = formats.map(([type, format]): [string, Answer] => [type, rowsAnswer(rows, format, options)]);
  return new Map([[JSON_TYPE, answerPage], ...files]);
}

function rowsAnswer(method: GatewayMethod, format: RowFormat, { invoker, logError, onFault }: GatewayOptions): Answer {
  return (request, reply) => {
    const { id: requestId, authorized } = request;
    const { raw } = reply;
    const leaving = new AbortController();
    raw.once("close", () => leaving.abort());
    const setHeader = (name: string, value: string): void => {
      reply.header(name, value);
    };
    const read = readBody(method, request);
    const traceparent = traceparentOf(request);
    const invocation = { requestId, authorized, traceparent, read, setHeader, left: leaving.signal };
    invoker
      .open(method, invocation)
      .then((messages) => {
        reply.hijack();
        const headers = { ...reply.getHeaders(), ...format.headers };
        for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value);
        raw.writeHead(200);
        // Before there is a row: the caller learns that the call is accepted, and from when on it follows.
        raw.flushHeaders();
        void sendRows(messages, raw, { format, requestId, logError, onFault });
      })
      .catch((error: unknown) => reply.send(error));
  };
}
