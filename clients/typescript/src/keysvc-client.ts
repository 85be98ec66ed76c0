import type {
  AnalyticsMethods,
  ApiMethods,
  AuditMethods,
  ConsumerMethods,
  IngestRequest,
  IngestResponse,
  KeyMethods,
  KeyValidateRequest,
  PlanMethods,
  ProjectMethods,
  Services,
  TrafficEventInput,
  WebhookMethods,
} from "../gen/api.ts";
import { METHODS } from "../gen/api.ts";
import type { CallOptions } from "./call.ts";
import { callMethod, serviceMethods } from "./call-method.ts";
import { Connection } from "./connection.ts";
import { createRequestId } from "./create-request-id.ts";
import { ApiError, type KeysvcError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";
import { readServiceOptions, refuseProblems, type ServiceOptions } from "./settings.ts";
import { readVerdict, type VerificationResult } from "./verification.ts";

/** A verdict has a few hundred bytes, and the metadata of its consumer at most 64 kB. */
const VERDICT_BYTES_MAX = 1 << 20;

/** What a middleware needs of a client; a test double can stand in for it. */
export interface ClientAPI {
  /** Asks whether a key may pass, once. */
  verify(key: string, options?: VerifyOptions): Promise<VerificationResult>;
  /** Takes in events to record. It must not throw, and takes no time. */
  ingest(...events: TrafficEventInput[]): void;
  /** Sends the events that wait. */
  flush?(options?: { signal?: AbortSignal | undefined }): Promise<void>;
}

/** How a key is verified: what is told of the call, besides the key. */
export interface VerifyOptions extends Omit<KeyValidateRequest, "key">, CallOptions {}

/** How a client is made. */
export interface ClientOptions extends ServiceOptions {
  /** Is told of events that were lost or rejected. What it throws is dropped. */
  onError?: ((error: KeysvcError) => void) | undefined;
}

/** A client of the service: every method of it, and `verify` and `ingest` for guarded applications. */
export class KeysvcClient implements ClientAPI, Omit<Services, "ingest"> {
  /** Queries over the recorded events. */
  readonly analytics: AnalyticsMethods;
  /** APIs: what keys may call. */
  readonly api: ApiMethods;
  /** Who changed what. */
  readonly audit: AuditMethods;
  /** Consumers, each with one credit pool. */
  readonly consumer: ConsumerMethods;
  /** API keys and their validation. */
  readonly key: KeyMethods;
  /** Plans that consumers hold. */
  readonly plan: PlanMethods;
  /** Projects and their credentials. */
  readonly project: ProjectMethods;
  /** Deliveries of events to consumers' addresses. */
  readonly webhook: WebhookMethods;

  readonly #connection: Connection;
  readonly #queue: EventQueue;
  readonly #timeoutMs: number;

  /** @throws ConfigurationError when an option cannot be used */
  constructor(options: ClientOptions = {}) {
    const problems: Record<string, string> = {};
    const settings = readServiceOptions(options, problems);
    refuseProblems(problems);
    const connection = new Connection(settings);
    const timeoutMs = settings.timeoutMs;
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.analytics = serviceMethods(connection, "analytics");
    this.api = serviceMethods(connection, "api");
    this.audit = serviceMethods(connection, "audit");
    this.consumer = serviceMethods(connection, "consumer");
    this.key = serviceMethods(connection, "key");
    this.plan = serviceMethods(connection, "plan");
    this.project = serviceMethods(connection, "project");
    this.webhook = serviceMethods(connection, "webhook");
    this.#queue = new EventQueue({
      send: (events, signal) => this.sendEvents({ events }, { timeoutMs, signal }),
      report: (error) => tellOf(error, options.onError),
      now: Date.now,
      random: Math.random,
    });
  }

  /**
   * Asks the service whether a key may pass, and charges its consumer when it may. It is never asked twice. A denial is a
   * result; `timeoutMs` is the client's unless it is given.
   *
   * @throws TransportError, TimeoutError, ApiError, AuthenticationError when there is no verdict
   */
  async verify(key: string, { signal, timeoutMs, ...call }: VerifyOptions = {}): Promise<VerificationResult> {
    const { path } = METHODS.key.validate;
    const request: KeyValidateRequest = { key, ...call, credits: call.credits ?? 1 };
    const options = { timeoutMs: timeoutMs ?? this.#timeoutMs, signal, bytesMax: VERDICT_BYTES_MAX, secret: key };
    const result = readVerdict(await this.#connection.post(path, request, options));
    if (result === undefined) throw new ApiError("The answer is no verdict.", { statusCode: 200 });
    return result;
  }

  /**
   * Takes in events, which are sent a little later, in batches. Those for which there is no room are dropped and counted. What
   * has no id or time gets them now, so that an event that has to be sent again is recorded once.
   */
  ingest(...events: TrafficEventInput[]): void {
    const now = Date.now();
    const complete = events.map((event) => ({
      ...event,
      requestId: event.requestId || createRequestId(now),
      timestamp: event.timestamp ?? (event.tsUnix === undefined || event.tsUnix === null ? now : undefined),
    }));
    this.#queue.offer(complete);
  }

  /** Sends events now, once, and tells what became of each. */
  sendEvents(request: IngestRequest, options?: CallOptions): Promise<IngestResponse> {
    // What the method answers, the proto file says: the type is generated from it.
    return callMethod(this.#connection, METHODS.ingest.ingest, request, options) as Promise<IngestResponse>;
  }

  /** How many events were lost: there was no room, the client was closed, or they could not be sent. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Sends the events that wait. Rejects with the signal's reason when it is aborted first; they go on being sent. */
  flush({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#queue.flush(signal);
  }

  /** Sends the events that wait, and takes in no others. When the signal is aborted, those that are left are dropped. */
  close({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#queue.close(signal);
  }
}

function tellOf(error: KeysvcError, onError: ClientOptions["onError"]): void {
  try {
    onError?.(error);
  } catch {
    // Whoever is told of failures must not become one.
  }
}
