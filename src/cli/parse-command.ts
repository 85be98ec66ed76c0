import { parseArgs } from "node:util";

/** A call that the command line makes of the service. */
export interface ServiceCall {
  /** One of the JSON paths. */
  path: string;
  body: Record<string, unknown>;
  /** Whose credential it needs. */
  credential: "operator" | "project";
}

export type Command =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "start" }
  | { kind: "ready" }
  | { kind: "doctor"; asJson: boolean }
  | { kind: "call"; call: ServiceCall; asJson: boolean };

/** A command line that cannot be understood. */
export class UsageError extends Error {}

const OPTIONS = {
  name: { type: "string" },
  scopes: { type: "string" },
  "grace-seconds": { type: "string" },
  page: { type: "string" },
  limit: { type: "string" },
  yes: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type OptionName = keyof typeof OPTIONS;
type OptionValues = { [Name in OptionName]?: string | boolean };

interface CommandForm extends Pick<ServiceCall, "path" | "credential"> {
  /** The field of the request that takes the one argument; absent: there is none. */
  argument?: string;
  options: OptionName[];
}

const PAGE: OptionName[] = ["page", "limit"];
const FORMS: Record<string, CommandForm> = {
  "project create": { path: "/project/create", credential: "operator", argument: "name", options: [] },
  "project list": { path: "/project/list", credential: "operator", options: PAGE },
  "project delete": { path: "/project/delete", credential: "operator", argument: "projectId", options: ["yes"] },
  "project credential create": {
    path: "/project/credential/create",
    credential: "project",
    options: ["name", "scopes"],
  },
  "project credential list": { path: "/project/credential/list", credential: "project", options: PAGE },
  "project credential rotate": {
    path: "/project/credential/rotate",
    credential: "project",
    argument: "credentialId",
    options: ["grace-seconds"],
  },
  "project credential revoke": {
    path: "/project/credential/revoke",
    credential: "project",
    argument: "credentialId",
    options: [],
  },
};

/**
 * Understands a command line, without the name of the program. What a name, an id or a scope may be is left to the service.
 *
 * @throws UsageError
 */
export function parseCommand(commandLine: readonly string[]): Command {
  // The service says itself what it makes of the rest.
  if (commandLine[0] === "--version" || commandLine[0] === "version") return { kind: "version" };
  if (commandLine[0] === "start") return { kind: "start" };
  const { values, positionals } = parseOptions(commandLine);
  if (values.help === true || positionals[0] === "help") return { kind: "help" };
  if (positionals[0] === "doctor") return doctor(positionals, values);
  if (commandLine.join(" ") === "ready") return { kind: "ready" };
  const name = Object.keys(FORMS).find((words) => positionals.slice(0, words.split(" ").length).join(" ") === words);
  const form = name === undefined ? undefined : FORMS[name];
  if (name === undefined || form === undefined) {
    throw new UsageError(positionals.length === 0 ? "a command is missing" : "there is no such command");
  }
  const call = { path: form.path, body: bodyOf(name, form, positionals, values), credential: form.credential };
  return { kind: "call", call, asJson: values.json === true };
}

function doctor(positionals: readonly string[], { json, ...others }: OptionValues): Command {
  if (positionals[1] !== undefined) throw new UsageError(`doctor takes no ${JSON.stringify(positionals[1])}`);
  const [stray] = Object.keys(others);
  if (stray !== undefined) throw new UsageError(`doctor has no option --${stray}`);
  return { kind: "doctor", asJson: json === true };
}

function parseOptions(commandLine: readonly string[]): { values: OptionValues; positionals: string[] } {
  try {
    return parseArgs({ args: [...commandLine], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // What parseArgs says of an unknown option or a missing value is meant for people.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function bodyOf(
  name: string,
  { argument, options }: CommandForm,
  positionals: readonly string[],
  values: OptionValues,
): ServiceCall["body"] {
  const [given, ...rest] = positionals.slice(name.split(" ").length);
  if (argument !== undefined && !given) throw new UsageError(`${name} needs <${argument}>`);
  const unexpected = argument === undefined ? given : rest[0];
  if (unexpected !== undefined) throw new UsageError(`${name} takes no ${JSON.stringify(unexpected)}`);
  const stray = Object.keys(values).find((option) => ![...options, "json"].includes(option));
  if (stray !== undefined) throw new UsageError(`${name} has no option --${stray}`);
  if (options.includes("yes") && values.yes !== true) {
    throw new UsageError(`${name} cannot be undone; say --yes to go on`);
  }
  return {
    ...(argument !== undefined && { [argument]: given }),
    ...(values.name !== undefined && { name: values.name }),
    ...(typeof values.scopes === "string" && { scopes: values.scopes.split(",").map((scope) => scope.trim()) }),
    ...numberField("graceSeconds", "grace-seconds", values),
    ...numberField("page", "page", values),
    ...numberField("limit", "limit", values),
  };
}

function numberField(field: string, option: OptionName, values: OptionValues): Record<string, number> {
  const text = values[option];
  if (typeof text !== "string") return {};
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${option} takes a whole number, not ${JSON.stringify(text)}`);
  return { [field]: Number(text) };
}
