import { constants } from "node:os";

/** Why the program was told to stop: the reason of the signal that `watchInterruption` returns. */
export class Interruption extends Error {
  /** As a shell reports a death by that signal. */
  readonly exitCode: number;

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** npm forwards the Ctrl-C that the terminal has sent to its child already: a second one right away is the same. */
const SAME_PRESS_MS = 1_000;
/** A stop that takes longer is cut off. */
const STOP_TIMEOUT_MS = 15_000;

/** Makes Ctrl-C and SIGTERM abort the signal that is returned. A later second one, or a stop that hangs, exits at once. */
export function watchInterruption(): AbortSignal {
  const controller = new AbortController();
  let interruptedAtMs: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const interruption = new Interruption(name);
      const nowMs = performance.now();
      if (interruptedAtMs === undefined) {
        interruptedAtMs = nowMs;
        setTimeout(() => process.exit(interruption.exitCode), STOP_TIMEOUT_MS).unref();
        controller.abort(interruption);
      } else if (nowMs - interruptedAtMs > SAME_PRESS_MS) process.exit(interruption.exitCode);
    });
  }
  return controller.signal;
}
