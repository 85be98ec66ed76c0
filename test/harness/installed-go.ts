import { spawnSync } from "node:child_process";

/** The lowest line of Go that the Go client supports, as its go.mod says. */
const LOWEST_MINOR = 25;

/** The installed Go as "go1.26.8", or why there is none to test with. */
export function installedGo(): { version: string } | { missing: string } {
  const { stdout, error } = spawnSync("go", ["env", "GOVERSION"], {
    env: { ...process.env, GOTOOLCHAIN: "local" },
    encoding: "utf8",
  });
  if (error) return { missing: "there is no Go on this machine" };
  const version = stdout.trim();
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1]);
  return minor >= LOWEST_MINOR ? { version } : { missing: `${version || "this Go"} is older than go1.${LOWEST_MINOR}` };
}
