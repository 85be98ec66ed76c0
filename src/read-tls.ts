import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "./config.ts";

/** PEM texts of a certificate chain and its key. */
export interface Tls {
  cert: string;
  key: string;
}

/** Reads the files of the settings; undefined without them. Throws when they do not fit together. */
export async function readTls({ tls }: Config): Promise<Tls | undefined> {
  if (tls === undefined) return undefined;
  const [cert, key] = await Promise.all([readFile(tls.certPath, "utf8"), readFile(tls.keyPath, "utf8")]);
  createSecureContext({ cert, key });
  return { cert, key };
}
