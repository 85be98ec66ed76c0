import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

const TIMEOUT_MS = 2_500;

/**
 * Whether the service takes calls. Its certificate is not looked at: it is for the name that callers use, and nothing is
 * told to whoever answers.
 *
 * @returns undefined, or why it does not
 */
export function whyNotReady(baseUrl: string): Promise<string | undefined> {
  const url = `${baseUrl}/readyz`;
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, rejectUnauthorized: false, agent: false };
    const request = (url.startsWith("https:") ? getSecure : getPlain)(url, options, ({ statusCode }) => {
      resolve(statusCode === 200 ? undefined : `${url} answered ${statusCode}`);
      request.destroy();
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on("error", (error) => resolve(`there is no service at ${baseUrl}: ${error.message}`));
  });
}
