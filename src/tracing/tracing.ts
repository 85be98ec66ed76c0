import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { Fault } from "../lib/fault.ts";
import type { CommandObserver } from "../mongo/watch-commands.ts";
import { parseTraceparent } from "./traceparent.ts";

export interface TracingOptions {
  /** Where the spans are sent: the address of a collector, without a path of its own. */
  endpoint: string;
  /** Takes what sending failed with. */
  onFailure: (message: string) => void;
}

/** A call, as its span shows it: nothing of its request. */
export interface TracedCall {
  /** Such as `/key/validate`. */
  name: string;
  requestId: string;
  /** The header of the caller. */
  traceparent: string | undefined;
}

interface Scope {
  span: Span;
  context: Context;
  /** Of the call's verdicts. */
  codes: Set<string>;
}

/** Whoever looks into a call that was just made should not have to wait. */
const SEND_EVERY_MS = 1_000;
/** The last spans are sent while the service stops, for so long. */
const SHUTDOWN_MAX_MS = 1_000;
/** As many as a span takes. */
const LINKS_MAX = 128;

/**
 * Traces of calls, of batches and of what both ask the database, sent by OTLP over HTTP. A trace is continued where the caller
 * has begun one, and recorded if the caller records it. This module is loaded only where traces are wanted.
 */
export class Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #scopes = new AsyncLocalStorage<Scope>();
  /** The spans in which calls were handed to a lane, which settles them in spans of its own. */
  readonly #origins = new WeakMap<object, SpanContext>();

  constructor({ endpoint, onFailure }: TracingOptions) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": "keysvc" }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
    });
    this.#tracer = this.#provider.getTracer("keysvc");
    const ignore = (): void => undefined;
    const logger = { error: onFailure, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  }

  /** Answers a call within a span. */
  readonly call = <Result>(call: TracedCall, work: () => Promise<Result>): Promise<Result> => {
    const parent = parseTraceparent(call.traceparent);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const attributes = { "keysvc.request_id": call.requestId };
    return this.#within({ name: call.name, kind: SpanKind.SERVER, attributes, context, links: [] }, work);
  };

  /** Takes the verdict of the call that it happens in. */
  readonly onVerdict = (code: string): void => {
    this.#scopes.getStore()?.codes.add(code);
  };

  /** Remembers in which call something was handed over to be settled with others. */
  readonly remember = (item: object): void => {
    const origin = this.#scopes.getStore()?.span.spanContext();
    if (origin !== undefined) this.#origins.set(item, origin);
  };

  /** Settles what belongs to many calls in a span of its own, linked to theirs; without one where none of them is recorded. */
  readonly batch = <Result>(name: string, items: readonly object[], work: () => Promise<Result>): Promise<Result> => {
    const origins = items.flatMap((item) => this.#origins.get(item) ?? []);
    const links = origins.filter(isRecorded).map((context): Link => ({ context }));
    if (links.length === 0) return this.#scopes.exit(work);
    const attributes = { "keysvc.batch.size": items.length };
    const [first] = links;
    // In the trace of one of them, for not every collector shows links.
    const context = first === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, first.context);
    return this.#within({ name, kind: SpanKind.INTERNAL, attributes, context, links: links.slice(0, LINKS_MAX) }, work);
  };

  /** A span for each command that a call or a batch sends. */
  readonly onCommand: CommandObserver = (command) => {
    const scope = this.#scopes.getStore();
    if (scope === undefined || !isRecorded(scope.span.spanContext())) return () => undefined;
    const attributes = { "db.system.name": "mongodb", "db.operation.name": command };
    const span = this.#tracer.startSpan(command, { kind: SpanKind.CLIENT, attributes }, scope.context);
    return (isOk) => {
      if (!isOk) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };

  /** Sends what is left, for a bounded time. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_MAX_MS);
    });
    await Promise.race([this.#provider.shutdown().catch(() => undefined), timeout]);
    clearTimeout(timer);
    diag.disable();
  }

  async #within<Result>(
    {
      name,
      context: parent,
      ...more
    }: { name: string; kind: SpanKind; attributes: Attributes; context: Context; links: Link[] },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const span = this.#tracer.startSpan(name, more, parent);
    const scope: Scope = { span, context: trace.setSpan(parent, span), codes: new Set() };
    try {
      return await this.#scopes.run(scope, work);
    } catch (error) {
      // Of the reason alone: what a fault says may repeat the request.
      span.setAttribute("keysvc.fault", error instanceof Fault ? error.reason : "INTERNAL");
      if (!(error instanceof Fault) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      if (scope.codes.size > 0) span.setAttribute("keysvc.verdicts", [...scope.codes]);
      span.end();
    }
  }
}

function isRecorded({ traceFlags }: SpanContext): boolean {
  return (traceFlags & 1) === 1;
}
