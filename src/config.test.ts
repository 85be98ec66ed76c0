import { describe, expect, it } from "vitest";
import { ConfigError, readConfig, unknownSettings } from "./config.ts";
import { SETTINGS } from "./settings.ts";

const SECRET = "a-master-secret-of-tests";

/** The lines of the error that the settings are refused with. */
function problemsOf(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("readConfig", () => {
  it("has a default for every setting", () => {
    expect(readConfig({ HOME: "/home/x" })).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      grpcPort: 8081,
      tls: undefined,
      mongodbUri: undefined,
      dataDir: ".keysvc",
      adminKey: undefined,
      projectKey: undefined,
      secret: undefined,
      previousSecret: undefined,
      keysRecoverable: true,
      stopDelaySeconds: 0,
      logLevel: "info",
      clockOffsetMs: 0,
    });
  });

  it("takes an empty setting, or one of spaces, as one that is not set", () => {
    const empty = Object.fromEntries(SETTINGS.map(({ name }) => [name, ""]));
    const blank = Object.fromEntries(SETTINGS.map(({ name }) => [name, "  "]));
    expect(readConfig(empty)).toEqual(readConfig({}));
    expect(readConfig(blank)).toEqual(readConfig({}));
  });

  it("keeps a fetched mongod in the user's cache folder, an empty XDG_CACHE_HOME being one that is not set", () => {
    expect(readConfig({ XDG_CACHE_HOME: "/cache" }).cacheDir).toBe("/cache/keysvc");
    expect(readConfig({ XDG_CACHE_HOME: "" }).cacheDir).toBe(readConfig({}).cacheDir);
  });

  it("reads every setting", () => {
    const config = readConfig({
      KEYSVC_HOST: "::1",
      KEYSVC_PORT: "0",
      KEYSVC_GRPC_PORT: "65535",
      KEYSVC_TLS_CERT: "/cert.pem",
      KEYSVC_TLS_KEY: "/key.pem",
      KEYSVC_MONGODB_URI: "mongodb+srv://db.example/keys",
      KEYSVC_DATA_DIR: "/data",
      KEYSVC_CACHE_DIR: "/cache",
      KEYSVC_MONGOD: "/bin/mongod",
      KEYSVC_ADMIN_KEY: "a".repeat(16),
      KEYSVC_PROJECT_KEY: "~".repeat(256),
      KEYSVC_SECRET: SECRET,
      KEYSVC_SECRET_PREVIOUS: "p".repeat(16),
      KEYSVC_BASE_URL: "https://keys.example/behind/",
      KEYSVC_KEYS_RECOVERABLE: "false",
      KEYSVC_STOP_DELAY_SECONDS: "60",
      KEYSVC_LOG_LEVEL: "silent",
      KEYSVC_TEST_CLOCK_OFFSET_MS: "-86400000",
    });
    expect(config).toMatchObject({
      host: "::1",
      port: 0,
      grpcPort: 65_535,
      tls: { certPath: "/cert.pem", keyPath: "/key.pem" },
      mongodbUri: "mongodb+srv://db.example/keys",
      dataDir: "/data",
      cacheDir: "/cache",
      mongodPath: "/bin/mongod",
      adminKey: "a".repeat(16),
      projectKey: "~".repeat(256),
      secret: SECRET,
      previousSecret: "p".repeat(16),
      baseUrl: "https://keys.example/behind",
      keysRecoverable: false,
      stopDelaySeconds: 60,
      logLevel: "silent",
      clockOffsetMs: -86_400_000,
    });
  });

  it.each([
    [{}, "http://127.0.0.1:8080"],
    [{ KEYSVC_HOST: "keys.example", KEYSVC_PORT: "80" }, "http://keys.example:80"],
    [{ KEYSVC_HOST: "0.0.0.0" }, "http://127.0.0.1:8080"],
    [{ KEYSVC_HOST: "::" }, "http://[::1]:8080"],
    [{ KEYSVC_TLS_CERT: "/cert.pem", KEYSVC_TLS_KEY: "/key.pem" }, "https://127.0.0.1:8080"],
  ])("finds a service with %o where it listens", (settings, baseUrl) => {
    expect(readConfig(settings).baseUrl).toBe(baseUrl);
  });

  it("reads the networks that webhooks may lead to", () => {
    const { webhookAllow } = readConfig({ KEYSVC_WEBHOOK_ALLOW: "127.0.0.0/8, fd00::/8" });
    expect(webhookAllow.map(([base, bits]) => `${base}/${bits}`)).toEqual(["127.0.0.0/8", "fd00::/8"]);
    expect(readConfig({}).webhookAllow).toEqual([]);
  });

  it("serves no gRPC port when that is off", () => {
    expect(readConfig({ KEYSVC_GRPC_PORT: "off" }).grpcPort).toBeUndefined();
  });

  it.each([
    ["KEYSVC_PORT", "65536", "must be a port from 0 to 65535"],
    ["KEYSVC_PORT", "-1", "must be a port from 0 to 65535"],
    ["KEYSVC_PORT", "80.5", "must be a port from 0 to 65535"],
    ["KEYSVC_PORT", "off", "must be a port from 0 to 65535"],
    ["KEYSVC_PORT", "0x50", "must be a port from 0 to 65535"],
    ["KEYSVC_GRPC_PORT", "OFF", "must be a port from 0 to 65535"],
    ["KEYSVC_WEBHOOK_ALLOW", "localhost", "must be subnets such as 10.0.0.0/8, separated by commas"],
    ["KEYSVC_TLS_CERT", "/cert.pem", "KEYSVC_TLS_KEY and KEYSVC_TLS_CERT go together"],
    ["KEYSVC_TLS_KEY", "/key.pem", "KEYSVC_TLS_KEY and KEYSVC_TLS_CERT go together"],
    ["KEYSVC_MONGODB_URI", "http://db", "must begin with mongodb://"],
    ["KEYSVC_ADMIN_KEY", "a".repeat(15), "must be 16 to 256 visible ASCII characters"],
    ["KEYSVC_ADMIN_KEY", "a".repeat(257), "must be 16 to 256 visible ASCII characters"],
    ["KEYSVC_PROJECT_KEY", "a space in the middle", "must be 16 to 256 visible ASCII characters"],
    ["KEYSVC_PROJECT_KEY", "ümlaut-ümlaut-ümlaut", "must be 16 to 256 visible ASCII characters"],
    ["KEYSVC_SECRET", "s".repeat(15), "must have at least 16 characters"],
    ["KEYSVC_SECRET_PREVIOUS", "s".repeat(15), "must have at least 16 characters"],
    ["KEYSVC_BASE_URL", "keys.example:8080", "must be an http or https URL"],
    ["KEYSVC_BASE_URL", "http://user:password@keys.example", "must be an http or https URL without a user"],
    ["KEYSVC_KEYS_RECOVERABLE", "yes", "must be true or false"],
    ["KEYSVC_STOP_DELAY_SECONDS", "61", "must be a number from 0 to 60"],
    ["KEYSVC_STOP_DELAY_SECONDS", "3s", "must be a number from 0 to 60"],
    ["KEYSVC_LOG_LEVEL", "verbose", "must be one of fatal, error, warn, info, debug, trace, silent"],
    ["KEYSVC_TEST_CLOCK_OFFSET_MS", "1.5", "must be an integer"],
    ["KEYSVC_TEST_CLOCK_OFFSET_MS", "1h", "must be an integer"],
  ])("refuses %s=%s by name", (name, value, message) => {
    const problems = problemsOf({ KEYSVC_SECRET: SECRET, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
    expect(problems[0]).toContain(message);
  });

  it("needs the master secret with a database of one's own", () => {
    expect(problemsOf({ KEYSVC_MONGODB_URI: "mongodb://db" })).toEqual([
      "KEYSVC_SECRET must be set with KEYSVC_MONGODB_URI",
    ]);
  });

  it("refuses one credential for the operator and the project", () => {
    const same = "the-same-credential";
    expect(problemsOf({ KEYSVC_ADMIN_KEY: same, KEYSVC_PROJECT_KEY: same })).toEqual([
      "KEYSVC_ADMIN_KEY must not be KEYSVC_PROJECT_KEY",
    ]);
  });

  it("names all settings at fault at once", () => {
    const problems = problemsOf({
      KEYSVC_PORT: "x",
      KEYSVC_GRPC_PORT: "y",
      KEYSVC_LOG_LEVEL: "z",
      KEYSVC_SECRET: "short",
      KEYSVC_ADMIN_KEY: "short",
      KEYSVC_MONGODB_URI: "db",
    });
    expect(problems.map((line) => line.split(" ")[0]).sort()).toEqual([
      "KEYSVC_ADMIN_KEY",
      "KEYSVC_GRPC_PORT",
      "KEYSVC_LOG_LEVEL",
      "KEYSVC_MONGODB_URI",
      "KEYSVC_PORT",
      "KEYSVC_SECRET",
    ]);
  });

  it("refuses the clock of the tests in production, and only there", () => {
    const offset = { KEYSVC_TEST_CLOCK_OFFSET_MS: "1" };
    expect(problemsOf({ ...offset, NODE_ENV: "production" })).toEqual([
      "KEYSVC_TEST_CLOCK_OFFSET_MS is refused when NODE_ENV is production",
    ]);
    expect(problemsOf({ ...offset, NODE_ENV: "test" })).toEqual([]);
    expect(problemsOf({ KEYSVC_TEST_CLOCK_OFFSET_MS: "0", NODE_ENV: "production" })).toEqual([]);
  });

  it("shows no secret in its message, nor a password of the database", () => {
    const message = problemsOf({
      KEYSVC_ADMIN_KEY: "hidden admin key",
      KEYSVC_PROJECT_KEY: "hidden project key",
      KEYSVC_SECRET: "hidden-secret",
      KEYSVC_SECRET_PREVIOUS: "hidden-old",
      KEYSVC_MONGODB_URI: "mongo://user:hidden@db",
    }).join("\n");
    expect(message.split("\n")).toHaveLength(5);
    expect(message).not.toContain("hidden");
  });
});

describe("unknownSettings", () => {
  it("finds settings that nothing reads, and leaves those of the clients and of others alone", () => {
    const known = Object.fromEntries(SETTINGS.map(({ name }) => [name, "x"]));
    expect(unknownSettings({ ...known, KEYSVC_BASE_URL: "u", KEYSVC_ROOT_KEY: "k", PATH: "/bin" })).toEqual([]);
    expect(unknownSettings({ KEYSVC_PROT: "1", keysvc_port: "1" })).toEqual(["KEYSVC_PROT"]);
  });
});
