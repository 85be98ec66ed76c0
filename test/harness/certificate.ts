import { execFileSync } from "node:child_process";
import { join } from "node:path";

/**
 * Makes a certificate with a key of its own, by openssl.
 *
 * @param days for which it is valid from now; -1: it expired yesterday
 */
export function makeCertificate(folder: string, name: string, days: number): { cert: string; key: string } {
  const [cert, key, request] = ["pem", "key", "csr"].map((ending) => join(folder, `${name}.${ending}`)) as Paths;
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  openssl("req", "-new", "-newkey", "ed25519", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", request);
  // Of the two commands that sign, only this one makes what has expired.
  openssl("x509", "-req", "-in", request, "-signkey", key, "-days", String(days), "-out", cert);
  return { cert, key };
}

/** One for each ending. */
type Paths = [cert: string, key: string, request: string];
