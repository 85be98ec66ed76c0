import { execFile } from "node:child_process";

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
}

/**
 * Runs a program to its end and returns its stdout. Rejects with an error whose message is one line that fits behind
 * "mongod on PATH: …": the program's own complaint where it made one.
 */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { timeoutMs, env = process.env } = options;
  return await new Promise<string>((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: "SIGKILL" as const, maxBuffer: 16 * 1024 * 1024 };
    execFile(file, [...args], { ...limits, env, encoding: "utf8" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(reasonOf(file, error, stderr, timeoutMs), { cause: error }));
    });
  });
}

function reasonOf(
  file: string,
  error: Error & { code?: unknown; killed?: boolean; signal?: unknown },
  stderr: string,
  timeoutMs: number,
): string {
  if (error.code === "ENOENT") return `${file} not found`;
  if (error.code === "EACCES") return `${file} is not executable`;
  if (error.killed === true) return `${file} did not finish within ${timeoutMs / 1000} s`;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const complaint = lines.find((line) => /error/i.test(line)) ?? lines.at(-1);
  if (complaint !== undefined) return complaint.trim().slice(0, 300);
  return typeof error.signal === "string" ? `${file} died of ${error.signal}` : `${file} exited with ${error.code}`;
}
