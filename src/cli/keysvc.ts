#!/usr/bin/env node
import "../lib/older-node.ts";
import { readConfig } from "../config.ts";
import { VERSION } from "../lib/version.ts";
import { watchOutput } from "../lib/watch-output.ts";
import { callService } from "./call-service.ts";
import { describeAnswer } from "./describe-answer.ts";
import { describeFindings } from "./describe-findings.ts";
import { whyNotReady } from "./is-ready.ts";
import { parseCommand, type ServiceCall, UsageError } from "./parse-command.ts";
import { readCredential } from "./read-credential.ts";
import { USAGE } from "./usage.ts";

const print = (...lines: string[]): void => {
  process.stdout.write(`${lines.join("\n")}\n`);
};

/** The settings that a call needs: those of the service need not be complete where it does not run. */
const { KEYSVC_BASE_URL, KEYSVC_HOST, KEYSVC_PORT, KEYSVC_TLS_CERT, KEYSVC_TLS_KEY } = process.env;
const { KEYSVC_DATA_DIR, KEYSVC_ADMIN_KEY, KEYSVC_PROJECT_KEY } = process.env;
const ADDRESS = { KEYSVC_BASE_URL, KEYSVC_HOST, KEYSVC_PORT, KEYSVC_TLS_CERT, KEYSVC_TLS_KEY };
const CREDENTIALS = { KEYSVC_DATA_DIR, KEYSVC_ADMIN_KEY, KEYSVC_PROJECT_KEY };

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2));
  if (command.kind === "help") return print(USAGE.trimEnd());
  if (command.kind === "version") return print(VERSION);
  if (command.kind === "start") {
    // Starts the service by being loaded, and ends the process itself.
    await import("../main.ts");
    return;
  }
  if (command.kind === "doctor") {
    // Loaded for it alone: the driver of the database takes longer to load than a call takes.
    const { examine } = await import("../doctor/examine.ts");
    const findings = await examine(process.env);
    print(...(command.asJson ? [JSON.stringify({ findings })] : describeFindings(findings)));
    process.exitCode = findings.some(({ state }) => state === "problem") ? 1 : 0;
    return;
  }
  if (command.kind === "ready") {
    const reason = await whyNotReady(readConfig({ ...ADDRESS }).baseUrl);
    if (reason !== undefined) throw new Error(reason);
    return print("ready");
  }
  const answer = await makeCall(command.call);
  print(...(command.asJson ? [JSON.stringify(answer)] : describeAnswer(command.call.path, answer)));
}

async function makeCall({ path, body, credential }: ServiceCall): Promise<unknown> {
  const config = readConfig({ ...ADDRESS, ...CREDENTIALS });
  return callService(config.baseUrl, path, body, await readCredential(credential, config));
}

// What a command writes is the last thing that it does: there is nothing to stop. The service watches for itself.
if (process.argv[2] !== "start") watchOutput("keysvc");
main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`keysvc: ${message}\n${error instanceof UsageError ? `\n${USAGE}` : ""}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
