/**
 * `npm run audit`: asks the registry for known vulnerabilities of what a service is installed with. Ends with 1 when there is
 * one that is high or critical. Not every mirror of a registry answers such questions: then it says so, and ends with 0.
 */
import { spawnSync } from "node:child_process";

/** What npm says: a report, or why there is none. */
interface Report {
  auditReportVersion?: number;
  vulnerabilities?: Record<string, { severity: string; range: string }>;
  message?: string;
}

const SERIOUS = ["high", "critical"];

function readReport(): Report {
  const { stdout, error } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    encoding: "utf8",
    maxBuffer: 64 * 1_024 * 1_024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    return error ? { message: error.message } : JSON.parse(stdout);
  } catch {
    return { message: "npm audit gave no report" };
  }
}

const { auditReportVersion, vulnerabilities = {}, message } = readReport();
const say = (line: string) => process.stdout.write(`== audit: ${line}\n`);

if (auditReportVersion === undefined) {
  say(`NOT done, the registry gives no report: ${message ?? "no reason is given"}`);
} else {
  const found = Object.entries(vulnerabilities);
  for (const [name, { severity, range }] of found) say(`${severity}: ${name} ${range}`);
  const serious = found.filter(([, { severity }]) => SERIOUS.includes(severity));
  say(serious.length === 0 ? "ok, nothing serious is known of the dependencies" : "FAILED, see npm audit --omit=dev");
  process.exitCode = serious.length === 0 ? 0 : 1;
}
