import type { IncomingCall } from "./incoming-call.ts";
import { isExcluded } from "./is-excluded.ts";
import type { Awaitable, MiddlewareOptions, MiddlewareRequest } from "./options.ts";
import { Passage } from "./passage.ts";
import { type GuardSettings, readGuardSettings } from "./settings.ts";

/** What a middleware of every framework can do besides guarding. */
export interface GuardControl {
  /** Sends the events that wait. */
  flush(options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /** Sends the events that wait, and records nothing any more. A client of the application's own is only flushed. */
  close(options?: { signal?: AbortSignal | undefined }): Promise<void>;
}

/** The middleware without a framework: who passes, and what is recorded. */
export class Guard<Raw> implements GuardControl {
  /** Undefined: switched off. */
  readonly settings: GuardSettings<Raw> | undefined;
  /** By the identity of their requests. */
  readonly #passages = new WeakMap<object, Passage<Raw>>();

  /** @throws ConfigurationError when an option cannot be used */
  constructor(options: MiddlewareOptions<Raw>) {
    this.settings = options.enabled === false ? undefined : readGuardSettings(options);
  }

  /**
   * The passage of a request; undefined when it is none of the middleware's business. Nor is one that has passed already: an
   * application that mounts the guard twice does not want its callers to pay twice.
   */
  enter(call: IncomingCall<Raw>): Awaitable<Passage<Raw> | undefined> {
    const { settings } = this;
    if (settings === undefined || settings.skipMethods.includes(call.method.toUpperCase())) return undefined;
    const isPathExcluded = isExcluded(call.path, settings.excludePaths);
    if (isPathExcluded && (call.routedPath === call.path || isExcluded(call.routedPath, settings.excludePaths))) return;
    if (this.#passages.get(call.identity)?.isAdmitted) return undefined;
    const { shouldProtect } = settings;
    if (shouldProtect === undefined) return this.#start(settings, call);
    const protects = shouldProtect(new CallRequest(call, undefined));
    if (protects instanceof Promise) return protects.then((does) => (does ? this.#start(settings, call) : undefined));
    return protects ? this.#start(settings, call) : undefined;
  }

  #start(settings: GuardSettings<Raw>, call: IncomingCall<Raw>): Passage<Raw> {
    const passage = new Passage(settings, call, (made) => new CallRequest(call, made));
    this.#passages.set(call.identity, passage);
    return passage;
  }

  flush(options?: { signal?: AbortSignal | undefined }): Promise<void> {
    return this.settings?.client.flush?.(options) ?? Promise.resolve();
  }

  close(options?: { signal?: AbortSignal | undefined }): Promise<void> {
    return this.settings?.ownClient?.close(options) ?? this.flush(options);
  }
}

/** A request as resolvers see it: headers are only made when one asks for them. */
class CallRequest<Raw> implements MiddlewareRequest<Raw> {
  readonly #call: IncomingCall<Raw>;
  readonly #passage: Passage<Raw> | undefined;
  #headers: Headers | undefined;

  constructor(call: IncomingCall<Raw>, passage: Passage<Raw> | undefined) {
    this.#call = call;
    this.#passage = passage;
  }

  get method() {
    return this.#call.method;
  }
  get path() {
    return this.#call.path;
  }
  get raw() {
    return this.#call.raw;
  }
  get headers() {
    this.#headers ??= this.#call.headers();
    return this.#headers;
  }
  get decision() {
    return this.#passage?.decision;
  }
}
