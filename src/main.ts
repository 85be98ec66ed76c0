import "./lib/older-node.ts";
import type { Logger } from "pino";
import type { App } from "./app.ts";
import { type Config, ConfigError, readConfig, unknownSettings } from "./config.ts";
import { VERSION } from "./lib/version.ts";
import { watchOutput } from "./lib/watch-output.ts";
import { SETTINGS } from "./settings.ts";

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** A stop that takes longer, after it was announced, is cut off: an orchestrator would kill the process then. */
const STOP_TIMEOUT_MS = 9_500;

async function main(): Promise<void> {
  // By itself, or as the command `keysvc start`.
  const given = process.argv.slice(process.argv[2] === "start" ? 3 : 2);
  if (given.includes("--help") || given.includes("-h")) return printHelp();
  if (given.includes("--version")) return void process.stdout.write(`${VERSION}\n`);
  if (given[0] !== undefined) return refuse(given[0]);
  const config = readConfig(process.env);
  const stopRequested = waitForSignal();
  const { pino } = await import("pino");
  const log = pino({ level: config.logLevel });
  for (const name of unknownSettings(process.env)) log.warn({ setting: name }, "unknown setting, ignored");
  const app = await Promise.race([start(config, log), stopRequested]);
  if (typeof app === "string") {
    // Half a start needs no undoing: nobody was answered, and mongod's watchdog stops it when this process ends.
    log.info({ reason: app }, "stopped before it was ready");
    process.exit(0);
  }
  const { port, grpcPort, metricsPort } = app;
  const scheme = config.tls === undefined ? "http" : "https";
  log.info({ version: VERSION, host: config.host, port, grpcPort, metricsPort }, "ready");
  report(
    `keysvc listens on ${scheme}://${config.host}:${port}${grpcPort ? `, gRPC on ${config.host}:${grpcPort}` : ""}`,
  );
  if (app.newProjectKey !== undefined) {
    report(`project key (shown once, kept in ${config.dataDir}/project-key): ${app.newProjectKey}`);
  }
  const reason = await stopRequested;
  log.info({ reason }, "stopping");
  setTimeout(
    () => {
      log.fatal("the stop took too long");
      process.exit(1);
    },
    config.stopDelaySeconds * 1_000 + STOP_TIMEOUT_MS,
  ).unref();
  await app.stop();
  log.info("stopped");
  // Connections that a client holds open must not keep the process.
  process.exit(0);
}

/** Loads the service as well, which takes a second: a signal in it is to be heard already. */
async function start(config: Config, log: Logger): Promise<App> {
  const { startApp } = await import("./app.ts");
  return startApp({ config, log, report });
}

function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Kept after the first: npm passes a Ctrl-C on that the terminal sends as well, and the second must not cut the stop off.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  });
}

/** An argument that is passed over would start another service than was meant. */
function refuse(argument: string): void {
  report(`keysvc: start takes no ${JSON.stringify(argument)}; settings are in the environment`);
  report("\nusage: keysvc start [--help | --version]");
  process.exitCode = 2;
}

function printHelp(): void {
  const settings = SETTINGS.map(({ name, default: fallback, description }) => {
    return `  ${name}\n      ${description}\n      Default: ${fallback}\n`;
  });
  process.stdout.write(
    `keysvc ${VERSION}: key management and analytics\n\nusage: npx keysvc start\n\nSettings (environment):\n\n${settings.join("\n")}`,
  );
}

// For the help: pino writes the log past process.stdout. What is not taken by stderr must not end the service.
watchOutput("keysvc");
main().then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof ConfigError) report(`keysvc cannot start:\n${error.message}`);
    else report(`keysvc cannot start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
