import { execFileSync } from "node:child_process";
import type { ServiceProcess } from "./process.ts";

/** What a service has in memory, in KB. */
export function residentMemoryKb({ child }: ServiceProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" }));
}
