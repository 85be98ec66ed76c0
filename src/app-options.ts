import type { Logger } from "pino";
import type { Config } from "./config.ts";

/** What a service is started with. */
export interface AppOptions {
  config: Config;
  log: Logger;
  /** Takes lines for people: progress, and what they need to know once. */
  report: (line: string) => void;
}
