import { EventEmitter, on } from "node:events";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";

/** Whether the service takes calls, for grpc.health.v1 and /readyz. */
export class Health {
  readonly #services: ReadonlySet<string>;
  readonly #changes = new EventEmitter();
  #serving = false;

  /** @param services the full names that may be asked for; the empty name, for the server as a whole, always may */
  constructor(services: Iterable<string>) {
    this.#services = new Set(["", ...services]);
    this.#changes.setMaxListeners(0);
  }

  get services(): ReadonlySet<string> {
    return this.#services;
  }

  get serving(): boolean {
    return this.#serving;
  }

  set serving(serving: boolean) {
    this.#serving = serving;
    this.#changes.emit("change", serving);
  }

  /** Calls the listener at every change. */
  onChange(listener: (serving: boolean) => void): void {
    this.#changes.on("change", listener);
  }

  /** The changes as they come, until the signal aborts. */
  async *changes(signal: AbortSignal): AsyncIterable<void> {
    try {
      for await (const _change of on(this.#changes, "change", { signal })) yield;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Serves grpc.health.v1.Health over Connect (the gRPC port has grpc-js's own). */
export function healthRoutes(router: ConnectRouter, health: Health): void {
  const status = (service: string) => {
    if (!health.services.has(service)) return Status.SERVICE_UNKNOWN;
    return health.serving ? Status.SERVING : Status.NOT_SERVING;
  };
  router.service(HealthService, {
    check({ service }) {
      if (!health.services.has(service)) throw new ConnectError("unknown service", Code.NotFound);
      return { status: status(service) };
    },
    list() {
      return { statuses: Object.fromEntries([...health.services].map((name) => [name, { status: status(name) }])) };
    },
    async *watch({ service }, context: HandlerContext) {
      yield { status: status(service) };
      for await (const _change of health.changes(context.signal)) yield { status: status(service) };
    },
  });
}
