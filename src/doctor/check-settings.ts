import { type Config, ConfigError, readConfig, unknownSettings } from "../config.ts";
import { isLoopback } from "../metrics/is-loopback.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const CHECK = "settings";

/** The settings, if they can be used, and what is to be said of them. */
export function checkSettings(environment: Environment): { config: Config | undefined; findings: Finding[] } {
  const unknown = unknownSettings(environment).map((name) => {
    return warning(
      CHECK,
      `nothing reads ${name}`,
      "Correct its name, or remove it; keysvc start --help lists them all.",
    );
  });
  try {
    const config = readConfig(environment);
    const contradictions = [...contradictionsOf(config), ...doubtsAbout(config)];
    const findings = [...unknown, ...contradictions];
    return { config, findings: findings.length > 0 ? findings : [ok(CHECK, "all can be used")] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.message
      .split("\n")
      .map((line) => problem(CHECK, line, "Correct it; docs/configuration.md says what it may be."));
    return { config: undefined, findings: [...unknown, ...wrong] };
  }
}

function contradictionsOf({ port, grpcPort, metricsPort }: Config): Finding[] {
  const named = [
    ["KEYSVC_PORT", port],
    ["KEYSVC_GRPC_PORT", grpcPort],
    ["KEYSVC_METRICS_PORT", metricsPort],
  ] as const;
  return named.flatMap(([name, number], index) =>
    named.slice(index + 1).flatMap(([other, same]) => {
      if (number === undefined || number === 0 || number !== same) return [];
      return problem(CHECK, `${name} and ${other} are both ${number}`, `Give ${other} a port of its own.`);
    }),
  );
}

function doubtsAbout(config: Config): Finding[] {
  const findings: Finding[] = [];
  const doubt = (isDoubtful: boolean, message: string, remedy: string): void => {
    if (isDoubtful) findings.push(warning(CHECK, message, remedy));
  };
  const isOpen = !isLoopback(config.host);
  doubt(
    isOpen && config.tls === undefined,
    `credentials and keys travel unencrypted to ${config.host}`,
    "Set KEYSVC_TLS_CERT and KEYSVC_TLS_KEY, unless a proxy in front ends TLS on the same machine.",
  );
  doubt(
    isOpen && config.mongodbUri === undefined,
    "the embedded database holds data that others depend on",
    "Run a MongoDB replica set of your own, and set KEYSVC_MONGODB_URI.",
  );
  doubt(
    config.mongodbUri !== undefined && config.mongodPath !== undefined,
    "KEYSVC_MONGOD says nothing beside KEYSVC_MONGODB_URI",
    "Remove one of the two.",
  );
  doubt(
    config.clockOffsetMs !== 0,
    "KEYSVC_TEST_CLOCK_OFFSET_MS shifts the clock by which credits and keys expire",
    "Remove it: it is for tests.",
  );
  doubt(
    config.previousSecret !== undefined,
    "KEYSVC_SECRET_PREVIOUS is set",
    "Remove it once every node has been started with the new secret.",
  );
  return findings;
}
