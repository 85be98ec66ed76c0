import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { START_ARGUMENTS } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, SECRET } from "../harness/service.ts";

/** Sends the process the signal as soon as it begins to load the service, long before that is loaded. */
function preload(signal: NodeJS.Signals): string {
  const code = `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.endsWith("/src/app.ts")) process.kill(process.pid, "${signal}");
    return next(url, context);
  },
});`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

it.each(["SIGTERM", "SIGINT"] as const)("%s while the service is being loaded ends it with 0", async (signal) => {
  const child = spawn(process.execPath, ["--import", preload(signal), ...START_ARGUMENTS], {
    cwd: join(import.meta.dirname, "../.."),
    env: {
      ...process.env,
      KEYSVC_PORT: "0",
      KEYSVC_GRPC_PORT: "0",
      KEYSVC_MONGODB_URI: freshDatabaseUri(),
      KEYSVC_PROJECT_KEY: PROJECT_KEY,
      KEYSVC_SECRET: SECRET,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, ended] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(ended).toEqual([0, null]);
  expect(output).toContain(`"reason":"${signal}","msg":"stopped before it was ready"`);
});
