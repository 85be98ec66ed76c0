import type { TrafficEventInput } from "../../gen/api.ts";
import { ApiError, KeysvcError, TransportError } from "../errors.ts";
import type { VerificationResult } from "../verification.ts";
import { clientAddress } from "./client-address.ts";
import { createDenial, type Denial } from "./denial.ts";
import { type Answer, describeEvent } from "./describe-event.ts";
import { type FoundKey, findKey, judgeKey } from "./find-key.ts";
import type { IncomingCall } from "./incoming-call.ts";
import type { MiddlewareRequest, Operation } from "./options.ts";
import { cleanText, redactText, Secrets } from "./redact.ts";
import { type GuardSettings, isCost } from "./settings.ts";

/** What becomes of a request: its handler runs, it is denied, or its caller has gone. */
export type Admission = { kind: "pass" } | { kind: "deny"; denial: Denial } | { kind: "gone" };

const PASS: Admission = { kind: "pass" };
const MISSING: FoundKey = { kind: "missing" };
/** What the service takes of an endpoint and a user agent. */
const TEXT_LENGTH_MAX = 8_192;
const METHOD_LENGTH_MAX = 64;

/** One request on its way through the middleware. It is recorded at most once. */
export class Passage<Raw> {
  readonly #settings: GuardSettings<Raw>;
  readonly #call: IncomingCall<Raw>;
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  /** Of the connection, which may be gone when the event is made. */
  readonly #address: string | undefined;
  readonly request: MiddlewareRequest<Raw>;
  #found: FoundKey = MISSING;
  /** Texts that may be keys: none is ever recorded. */
  #secrets = new Secrets([]);
  #decision: VerificationResult | undefined;
  #failure: unknown;
  #isDone: boolean;
  #isAdmitted = false;
  #isDecided = false;
  /** What was answered before it was decided: nothing, where the caller has gone. */
  #early: { answer: Answer; latencyMs: number } | undefined;
  /** What resolvers said: each is asked once. */
  #endpoint: { name: string | undefined } | undefined;
  #clientAddress: { address: string | undefined } | undefined;

  constructor(
    settings: GuardSettings<Raw>,
    call: IncomingCall<Raw>,
    requestOf: (passage: Passage<Raw>) => MiddlewareRequest<Raw>,
  ) {
    this.#settings = settings;
    this.#call = call;
    this.#isDone = settings.mode === "validate";
    this.#address = settings.captureClientIP ? call.address() : undefined;
    this.request = requestOf(this);
  }

  /** What the service said, where it was asked and answered. */
  get decision(): VerificationResult | undefined {
    return this.#decision;
  }

  /** Why there is no decision although the request passes, in the failure mode `open`. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether the request has passed. */
  get isAdmitted(): boolean {
    return this.#isAdmitted;
  }

  /** Whether responses have to be watched. */
  get isToBeRecorded(): boolean {
    return !this.#isDone;
  }

  /**
   * Decides. What a resolver throws is thrown on: nothing runs unguarded, and nothing is recorded.
   *
   * @param signal aborted when the caller has gone
   */
  async admit(signal: AbortSignal | undefined): Promise<Admission> {
    try {
      const admission = this.#settings.mode === "ingest" ? this.#lookOn() : await this.#decide(signal);
      this.#isAdmitted = admission.kind === "pass";
      this.#isDecided = true;
      if (this.#early !== undefined) this.finish(this.#early.answer, this.#early.latencyMs);
      return admission;
    } catch (error) {
      this.#isDone = true;
      if (signal?.aborted) return { kind: "gone" };
      throw error;
    }
  }

  /** No key is checked, but one that is there must not be recorded. */
  #lookOn(): Admission {
    const { keySource } = this.#settings;
    const found = keySource === undefined ? MISSING : findKey(keySource, this.#call);
    this.#secrets = secretsOf(found);
    return PASS;
  }

  async #decide(signal: AbortSignal | undefined): Promise<Admission> {
    const found = await this.#findKey(signal);
    // Whoever has gone meanwhile hears of no denial.
    signal?.throwIfAborted();
    if (found === undefined) return this.#deny("SERVICE_UNAVAILABLE");
    this.#found = found;
    this.#secrets = secretsOf(found);
    if (found.kind === "missing") return this.#deny("MISSING_KEY");
    if (found.kind === "malformed") return this.#deny("NOT_FOUND");
    const { creditsResolver } = this.#settings;
    const credits = creditsResolver === undefined ? this.#settings.credits : await creditsResolver(this.request);
    signal?.throwIfAborted();
    if (!isCost(credits)) {
      this.#report("credits", new KeysvcError("creditsResolver must give a whole number from 0"));
      return this.#deny("SERVICE_UNAVAILABLE");
    }
    return await this.#ask(found.key, this.#question(credits), signal);
  }

  async #findKey(signal: AbortSignal | undefined): Promise<FoundKey | undefined> {
    const { getConsumerKey, keySource } = this.#settings;
    if (keySource !== undefined) return findKey(keySource, this.#call);
    try {
      return judgeKey((await getConsumerKey?.(this.request)) ?? "");
    } catch (error) {
      // What fails because the caller has gone is no failure.
      if (!signal?.aborted) this.#report("key", error);
      return undefined;
    }
  }

  #question(credits: number) {
    const settings = this.#settings;
    const call = this.#call;
    const secrets = this.#secrets;
    const text = (value: string | undefined) =>
      value === undefined ? undefined : cleanText(redactText(value, secrets), TEXT_LENGTH_MAX) || undefined;
    const endpoint = this.namedEndpoint() || call.route() || call.path || "/";
    const userAgent = settings.captureUserAgent === false ? undefined : call.headerValues("user-agent")[0];
    const clientIp = settings.captureClientIP ? this.clientAddress() : undefined;
    return {
      apiId: settings.apiId,
      credits,
      endpoint: text(endpoint),
      method: call.method.slice(0, METHOD_LENGTH_MAX),
      userAgent: text(userAgent),
      clientIp,
    };
  }

  /** What pathResolver says. */
  namedEndpoint(): string | undefined {
    this.#endpoint ??= { name: this.#settings.pathResolver?.(this.request) || undefined };
    return this.#endpoint.name;
  }

  /** The caller's address, as the header has it that clientIPResolver names, or the framework. */
  clientAddress(): string | undefined {
    if (this.#clientAddress === undefined) {
      const name = this.#settings.clientIPResolver?.(this.request);
      const [header] = name ? this.#call.headerValues(name.toLowerCase()) : [];
      this.#clientAddress = { address: clientAddress(header) ?? this.#address };
    }
    return this.#clientAddress.address;
  }

  async #ask(key: string, question: object, signal: AbortSignal | undefined): Promise<Admission> {
    const { client, timeoutMs, failureMode } = this.#settings;
    let result: VerificationResult;
    try {
      result = await client.verify(key, { ...question, timeoutMs, signal });
      // A double may not heed the signal.
      signal?.throwIfAborted();
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#report("verify", error);
      if (failureMode !== "open" || !mayOpen(error)) return this.#deny("SERVICE_UNAVAILABLE");
      this.#failure = error;
      return PASS;
    }
    this.#decision = result;
    return result.allowed ? PASS : this.#deny(result.reason, result);
  }

  #deny(code: string, result?: VerificationResult): Admission {
    if (this.#settings.ingestDeniedRequests === false) this.#isDone = true;
    return { kind: "deny", denial: createDenial(code, this.#settings, result) };
  }

  /** Records the request, if it is to be and was not yet: when it has been decided, because whoever leaves before is not recorded. */
  finish(answer: Answer, latencyMs = performance.now() - this.#started): void {
    if (this.#isDone) return;
    if (!this.#isDecided) {
      this.#early = { answer, latencyMs };
      return;
    }
    this.#isDone = true;
    const report = (error: unknown) => this.#report("record", error);
    try {
      const taken: unknown = this.#settings.client.ingest(this.#describe(answer, latencyMs));
      // A double may be asynchronous: what it rejects with must not end the process.
      if (taken instanceof Promise) taken.catch(report);
    } catch (error) {
      report(error);
    }
  }

  #describe(answer: Answer, latencyMs: number): TrafficEventInput {
    return describeEvent(this.#settings, {
      call: this.#call,
      request: this.request,
      found: this.#found,
      secrets: this.#secrets,
      decision: this.#decision,
      startedAt: this.#startedAt,
      latencyMs,
      answer,
      namedEndpoint: () => this.namedEndpoint(),
      clientAddress: () => this.clientAddress(),
      report: (error) => this.#report("record", error),
    });
  }

  #report(operation: Operation, error: unknown): void {
    const { method, path } = this.#call;
    const shown = cleanText(redactText(path, this.#secrets), TEXT_LENGTH_MAX);
    this.#settings.report({ operation, method, path: shown, error });
  }
}

function secretsOf(found: FoundKey): Secrets {
  return new Secrets(found.kind === "missing" ? [] : found.secrets);
}

/**
 * Whether the service is out of reach or out of order, which goes away by itself. Whatever else it is, such as a wrong
 * credential or a fault of a test double, would leave the API unguarded unnoticed.
 */
function mayOpen(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof TransportError;
  const { statusCode } = error;
  return statusCode < 400 || statusCode === 429 || statusCode >= 500;
}
