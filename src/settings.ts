/** A setting as `--help` and docs/configuration.md show it. */
export interface Setting {
  name: string;
  /** The default, as people read it. */
  default: string;
  description: string;
}

/** Every setting, in the order of the documentation. */
export const SETTINGS = [
  { name: "KEYSVC_HOST", default: "127.0.0.1", description: "Address that both ports are bound to." },
  {
    name: "KEYSVC_PORT",
    default: "8080",
    description: "Main port: JSON, Connect, gRPC-Web and gRPC over HTTP/1.1 and HTTP/2. 0 picks a free one.",
  },
  {
    name: "KEYSVC_GRPC_PORT",
    default: "8081",
    description: "Port of native gRPC, for services that call often. 0 picks a free one, off serves none.",
  },
  {
    name: "KEYSVC_METRICS_PORT",
    default: "none",
    description: "Port that serves GET /metrics alone, without a credential. 0 picks a free one.",
  },
  {
    name: "KEYSVC_OTLP_ENDPOINT",
    default: "none: no traces",
    description: "Where OpenTelemetry traces are sent, by OTLP over HTTP, such as http://127.0.0.1:4318.",
  },
  { name: "KEYSVC_TLS_CERT", default: "none", description: "PEM file with the certificate chain; both ports use TLS." },
  { name: "KEYSVC_TLS_KEY", default: "none", description: "PEM file with the certificate's private key." },
  {
    name: "KEYSVC_MONGODB_URI",
    default: "none: an embedded MongoDB",
    description: "MongoDB replica set. Its path names the database; without one it is keysvc.",
  },
  {
    name: "KEYSVC_DATA_DIR",
    default: ".keysvc",
    description: "Folder of the embedded database, and of the credentials and the secret that were made.",
  },
  {
    name: "KEYSVC_CACHE_DIR",
    default: "~/.cache/keysvc",
    description: "Folder where a mongod that was fetched is kept, for all data folders of the user.",
  },
  {
    name: "KEYSVC_MONGOD",
    default: "none: PATH, the cache, a download",
    description: "The mongod that the embedded database runs.",
  },
  {
    name: "KEYSVC_ADMIN_KEY",
    default: "made, and kept as admin-key in the data folder",
    description: "The operator's credential, for /project/create, /project/list and /project/delete.",
  },
  {
    name: "KEYSVC_PROJECT_KEY",
    default: "made, and kept as project-key in the data folder",
    description: "Credential of the project `default`, adopted at the first start. 16 to 256 visible ASCII characters.",
  },
  {
    name: "KEYSVC_SECRET",
    default: "made, and kept as secret in the data folder",
    description: "Master secret, shared by all nodes; must be set with KEYSVC_MONGODB_URI. At least 16 characters.",
  },
  {
    name: "KEYSVC_SECRET_PREVIOUS",
    default: "none",
    description: "The master secret before this one: set it for one start to change the secret.",
  },
  {
    name: "KEYSVC_BASE_URL",
    default: "KEYSVC_HOST and KEYSVC_PORT",
    description: "Where the command line finds the service. The client libraries read it too.",
  },
  {
    name: "KEYSVC_KEYS_RECOVERABLE",
    default: "true",
    description: "Whether key values are kept, encrypted, so that /consumer/keys can show them.",
  },
  {
    name: "KEYSVC_ACTIVITY",
    default: "durable",
    description:
      "durable: verdicts are in the analytics before they are answered. buffered: within a second; lost when the process is killed.",
  },
  {
    name: "KEYSVC_ACTIVITY_NOT_FOUND",
    default: "keep",
    description:
      "keep: NOT_FOUND verdicts are events like all others. count: one event stands for all of half a second, when under attack.",
  },
  { name: "KEYSVC_RETENTION_DAYS", default: "30", description: "Days for which events are kept, 1 to 3650." },
  {
    name: "KEYSVC_ANALYTICS_RATE",
    default: "100",
    description: "Analytics calls that a project has in 10 seconds, over all nodes, 1 to 100000.",
  },
  {
    name: "KEYSVC_WEBHOOK_ALLOW",
    default: "none",
    description:
      "Subnets, by commas, that webhooks may lead to besides the public Internet. For tests and closed networks.",
  },
  {
    name: "KEYSVC_STOP_DELAY_SECONDS",
    default: "0",
    description: "Seconds after SIGTERM in which /readyz says 503 and calls are still taken, for balancers. 0 to 60.",
  },
  { name: "KEYSVC_LOG_LEVEL", default: "info", description: "fatal, error, warn, info, debug, trace or silent." },
  {
    name: "KEYSVC_ACCESS_LOG_DIR",
    default: "../shared/data",
    description: "Folder of the access log `apache_logs` that demo and tests replay; without it they generate one.",
  },
  {
    name: "KEYSVC_TEST_CLOCK_OFFSET_MS",
    default: "0",
    description: "For tests: milliseconds added to the database's clock. Refused when NODE_ENV is production.",
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]["name"];
