import { readFileSync } from "node:fs";

interface Manifest {
  version: string;
}

// Two folders up, as seen from the source and from what is compiled. The file is our own.
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest;

/** The version of keysvc: package.json is the one place that has it. */
export const VERSION = manifest.version;
