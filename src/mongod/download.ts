import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { MongodBinary } from "./mongod-version.ts";
import type { FetchOptions } from "./wheel.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** Unpacking prints nothing, and takes its time on a slow disk. */
const STALL_TIMEOUT_MS = 120_000;
const REPORT_EVERY_PERCENT = 10;

/**
 * Downloads a mongod with mongodb-memory-server-core into the cache: `version`, or the library's default one. Gives up
 * when no byte has come after 5 s. Honours the library's own MONGOMS_* settings (mirror, proxy). Rejects with a
 * one-line reason.
 *
 * The library runs in a process of its own: it writes progress to stdout, where the service's log goes, and a download
 * that hangs can be ended only with its process.
 */
export async function downloadMongod(options: FetchOptions, version: string | undefined): Promise<MongodBinary> {
  const { cache, env, report } = options;
  return await cache.withScratch(async (scratch) => {
    report(`downloading MongoDB ${version ?? ""} with mongodb-memory-server`.replace("  ", " "));
    const program = fileURLToPath(new URL(`./download-process${extname(import.meta.url)}`, import.meta.url));
    const args = [program, scratch, ...(version === undefined ? [] : [version])];
    // One try is enough where another source follows; a system binary has had its turn in the chain and must not be moved.
    const childEnv = { MONGOMS_MAX_RETRIES: "1", ...env, MONGOMS_SYSTEM_BINARY: undefined, NODE_OPTIONS: undefined };
    const child = spawn(process.execPath, args, { env: childEnv, stdio: ["ignore", "pipe", "pipe"] });
    return await cache.adopt(await followDownload(child, report));
  });
}

/** Resolves with the path of the downloaded binary. */
async function followDownload(child: ChildProcess, report: (line: string) => void): Promise<string> {
  const progress = new DownloadProgress(report);
  let complaint = "";
  let timer = setTimeout(() => child.kill("SIGKILL"), CONNECT_TIMEOUT_MS);
  const giveUpAfter = (timeoutMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-4096);
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    giveUpAfter(STALL_TIMEOUT_MS);
    progress.read(text);
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        const path = /^path (.+)$/m.exec(progress.tail)?.[1];
        if (code === 0 && path !== undefined) resolve(path);
        else reject(new Error(failureOf(complaint, progress.started)));
      });
    });
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(complaint: string, started: boolean): string {
  const line = /^error: (.*)$/m.exec(complaint)?.[1];
  if (line !== undefined) return line.slice(0, 300);
  if (started) return "the download broke off";
  return `no answer from the download host within ${CONNECT_TIMEOUT_MS / 1000} s`;
}

/** Turns the library's stream of progress prints into a line per ten percent. */
class DownloadProgress {
  readonly #report: (line: string) => void;
  #shown = -1;
  started = false;
  /** The last output, which holds the path when the download is over. */
  tail = "";

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  read(text: string): void {
    this.started = true;
    this.tail = (this.tail + text).slice(-4096);
    const [, version, digits] = /Downloading MongoDB "([^"]+)": (\d+)/.exec(text) ?? [];
    const percent = Number(digits);
    if (!(percent >= this.#shown + REPORT_EVERY_PERCENT || (this.#shown < 0 && percent >= 0))) return;
    this.#shown = percent;
    this.#report(`downloading MongoDB ${version}: ${percent} %`);
  }
}
