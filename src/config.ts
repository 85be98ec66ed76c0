import { homedir } from "node:os";
import { join } from "node:path";

import { parseSubnets, type Subnet } from "./lib/ip-address.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const ACTIVITY = ["durable", "buffered"] as const;
const ACTIVITY_NOT_FOUND = ["keep", "count"] as const;
const RETENTION_DAYS_MAX = 3_650;
const ANALYTICS_RATE_MAX = 100_000;
const STOP_DELAY_SECONDS_MAX = 60;
const URL_RULE = "must be an http or https URL without a user or a query";
const CREDENTIAL = /^[\x21-\x7e]{16,256}$/;

export interface Config {
  host: string;
  port: number;
  /** undefined: no gRPC port. */
  grpcPort: number | undefined;
  /** undefined: the metrics have no port of their own. */
  metricsPort: number | undefined;
  /** Where traces are sent; undefined: there are none. */
  otlpEndpoint: string | undefined;
  /** Where callers find the service: without a slash at its end. */
  baseUrl: string;
  /** Paths of PEM files. */
  tls: { certPath: string; keyPath: string } | undefined;
  mongodbUri: string | undefined;
  dataDir: string;
  cacheDir: string;
  mongodPath: string | undefined;
  adminKey: string | undefined;
  projectKey: string | undefined;
  secret: string | undefined;
  previousSecret: string | undefined;
  keysRecoverable: boolean;
  activity: (typeof ACTIVITY)[number];
  activityNotFound: (typeof ACTIVITY_NOT_FOUND)[number];
  retentionDays: number;
  /** Analytics calls that a project has in each window. */
  analyticsRate: number;
  /** Networks that webhooks may lead to besides the public Internet. */
  webhookAllow: readonly Subnet[];
  /** How long a stop is announced before anything is refused. */
  stopDelaySeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  accessLogDir: string;
  clockOffsetMs: number;
}

/** A setting that cannot be used. The message names every such setting, and shows no secret. */
export class ConfigError extends Error {}

/** Does a part of the start, and names in its error the settings that it rests on. */
export async function naming<Result>(settings: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(message.includes("KEYSVC_") ? message : `${settings}: ${message}`, { cause: error });
  }
}

/** Reads the settings. Throws a ConfigError that names each one at fault. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const text = (name: SettingName): string | undefined => environment[name]?.trim() || undefined;
  const check = (name: SettingName, good: boolean, rule: string): void => {
    if (!good) problems.push(`${name} ${rule}`);
  };
  const port = (name: SettingName, fallback: number): number => {
    const value = text(name) ?? String(fallback);
    check(name, /^\d{1,5}$/.test(value) && Number(value) <= 65_535, "must be a port from 0 to 65535");
    return Number(value);
  };
  const credential = (name: SettingName): string | undefined => {
    const value = text(name);
    check(name, value === undefined || CREDENTIAL.test(value), "must be 16 to 256 visible ASCII characters");
    return value;
  };
  const secret = (name: SettingName): string | undefined => {
    const value = text(name);
    check(name, value === undefined || value.length >= 16, "must have at least 16 characters");
    return value;
  };
  const certPath = text("KEYSVC_TLS_CERT");
  const keyPath = text("KEYSVC_TLS_KEY");
  check("KEYSVC_TLS_KEY", (certPath === undefined) === (keyPath === undefined), "and KEYSVC_TLS_CERT go together");
  const recoverable = text("KEYSVC_KEYS_RECOVERABLE") ?? "true";
  check("KEYSVC_KEYS_RECOVERABLE", ["true", "false"].includes(recoverable), "must be true or false");
  const oneOf = <Word extends string>(name: SettingName, words: readonly Word[], fallback: Word): Word => {
    const word = words.find((candidate) => candidate === (text(name) ?? fallback));
    check(name, word !== undefined, `must be one of ${words.join(", ")}`);
    return word ?? fallback;
  };
  const logLevel = oneOf("KEYSVC_LOG_LEVEL", LOG_LEVELS, "info");
  const activity = oneOf("KEYSVC_ACTIVITY", ACTIVITY, "durable");
  const activityNotFound = oneOf("KEYSVC_ACTIVITY_NOT_FOUND", ACTIVITY_NOT_FOUND, "keep");
  const days = text("KEYSVC_RETENTION_DAYS") ?? "30";
  const rate = text("KEYSVC_ANALYTICS_RATE") ?? "100";
  const isRate = /^\d{1,6}$/.test(rate) && Number(rate) >= 1 && Number(rate) <= ANALYTICS_RATE_MAX;
  check("KEYSVC_ANALYTICS_RATE", isRate, `must be a number from 1 to ${ANALYTICS_RATE_MAX}`);
  const isDays = /^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= RETENTION_DAYS_MAX;
  check("KEYSVC_RETENTION_DAYS", isDays, `must be a number from 1 to ${RETENTION_DAYS_MAX}`);
  const delay = text("KEYSVC_STOP_DELAY_SECONDS") ?? "0";
  const isDelay = /^\d{1,2}$/.test(delay) && Number(delay) <= STOP_DELAY_SECONDS_MAX;
  check("KEYSVC_STOP_DELAY_SECONDS", isDelay, `must be a number from 0 to ${STOP_DELAY_SECONDS_MAX}`);
  const subnets = parseSubnets(text("KEYSVC_WEBHOOK_ALLOW") ?? "");
  check("KEYSVC_WEBHOOK_ALLOW", subnets !== undefined, "must be subnets such as 10.0.0.0/8, separated by commas");
  const offset = text("KEYSVC_TEST_CLOCK_OFFSET_MS") ?? "0";
  check("KEYSVC_TEST_CLOCK_OFFSET_MS", /^-?\d{1,13}$/.test(offset), "must be an integer");
  const inProduction = environment.NODE_ENV === "production";
  check("KEYSVC_TEST_CLOCK_OFFSET_MS", !inProduction || Number(offset) === 0, "is refused when NODE_ENV is production");
  const mongodbUri = text("KEYSVC_MONGODB_URI");
  check(
    "KEYSVC_MONGODB_URI",
    mongodbUri === undefined || /^mongodb(\+srv)?:\/\//.test(mongodbUri),
    "must begin with mongodb://",
  );
  const host = text("KEYSVC_HOST") ?? "127.0.0.1";
  const mainPort = port("KEYSVC_PORT", 8080);
  const baseUrl = text("KEYSVC_BASE_URL");
  check("KEYSVC_BASE_URL", baseUrl === undefined || isBaseUrl(baseUrl), URL_RULE);
  const otlpEndpoint = text("KEYSVC_OTLP_ENDPOINT");
  check("KEYSVC_OTLP_ENDPOINT", otlpEndpoint === undefined || isBaseUrl(otlpEndpoint), URL_RULE);
  const config: Config = {
    host,
    port: mainPort,
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? baseUrlOf(host, mainPort, certPath !== undefined),
    grpcPort: text("KEYSVC_GRPC_PORT") === "off" ? undefined : port("KEYSVC_GRPC_PORT", 8081),
    metricsPort: text("KEYSVC_METRICS_PORT") === undefined ? undefined : port("KEYSVC_METRICS_PORT", 0),
    otlpEndpoint: otlpEndpoint?.replace(/\/+$/, ""),
    tls: certPath && keyPath ? { certPath, keyPath } : undefined,
    mongodbUri,
    dataDir: text("KEYSVC_DATA_DIR") ?? ".keysvc",
    cacheDir: text("KEYSVC_CACHE_DIR") ?? join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "keysvc"),
    mongodPath: text("KEYSVC_MONGOD"),
    adminKey: credential("KEYSVC_ADMIN_KEY"),
    projectKey: credential("KEYSVC_PROJECT_KEY"),
    secret: secret("KEYSVC_SECRET"),
    previousSecret: secret("KEYSVC_SECRET_PREVIOUS"),
    keysRecoverable: recoverable === "true",
    activity,
    activityNotFound,
    retentionDays: Number(days),
    analyticsRate: Number(rate),
    webhookAllow: subnets ?? [],
    stopDelaySeconds: Number(delay),
    logLevel,
    accessLogDir: text("KEYSVC_ACCESS_LOG_DIR") ?? "../shared/data",
    clockOffsetMs: Number(offset),
  };
  check(
    "KEYSVC_SECRET",
    mongodbUri === undefined || config.secret !== undefined,
    "must be set with KEYSVC_MONGODB_URI",
  );
  check(
    "KEYSVC_ADMIN_KEY",
    config.adminKey === undefined || config.adminKey !== config.projectKey,
    "must not be KEYSVC_PROJECT_KEY",
  );
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

function baseUrlOf(host: string, port: number, hasTls: boolean): string {
  // A service that listens on every address is found on this machine's own.
  const address = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `${hasTls ? "https" : "http"}://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return false;
  return !url.username && !url.password && !url.search && !url.hash;
}

/** Settings of the environment that nothing reads, most likely misspelled. Those of the client libraries are known. */
export function unknownSettings(environment: Environment): string[] {
  const known = new Set<string>([...SETTINGS.map(({ name }) => name), "KEYSVC_ROOT_KEY"]);
  return Object.keys(environment).filter((name) => name.startsWith("KEYSVC_") && !known.has(name));
}
