import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const CHECK = "TLS";
const DAY_MS = 86_400_000;
const DAYS_GOOD = 21;

/** The certificate and its key; nothing where the ports are in plain text. */
export async function checkTls({ tls }: Pick<Config, "tls">, nowMs: number): Promise<Finding[]> {
  if (tls === undefined) return [];
  const [cert, key] = await Promise.all([readFile(tls.certPath), readFile(tls.keyPath)]);
  // The first of the file is the service's own.
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    const remedy = "Set KEYSVC_TLS_KEY to the key that the certificate was made with.";
    return [problem(CHECK, `${tls.keyPath} is not the key of ${tls.certPath}`, remedy)];
  }
  return [judgeValidity(certificate, tls.certPath, nowMs)];
}

function judgeValidity({ validFrom, validTo }: X509Certificate, path: string, nowMs: number): Finding {
  const remedy = "Put a new certificate in its place and restart the service.";
  const daysLeft = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  if (Date.parse(validFrom) > nowMs) return problem(CHECK, `${path} is valid only from ${validFrom}`, remedy);
  if (daysLeft < 0) return problem(CHECK, `${path} has expired, on ${validTo}`, remedy);
  if (daysLeft < DAYS_GOOD) return warning(CHECK, `${path} expires in ${daysLeft} days, on ${validTo}`, remedy);
  return ok(CHECK, `${path} is valid until ${validTo}, and has its key`);
}
