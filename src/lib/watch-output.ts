import { constants } from "node:os";

/** Nobody takes what the program writes: the reason of the signal that `watchOutput` returns. It has been told by then. */
export class OutputFailure extends Error {}

/** As a shell reports the death of a program whose reader, such as `head`, has gone. */
const EXIT_READER_GONE = 128 + constants.signals.SIGPIPE;

/**
 * Makes a failure to write to stdout an exit code, with a line on stderr unless it is that the reader has gone, and aborts
 * the signal that is returned, for those who have more to do than to write. What stderr does not take is lost: there is
 * nobody left to tell.
 *
 * @param program begins the line, as it begins the program's other errors
 */
export function watchOutput(program: string): AbortSignal {
  const controller = new AbortController();
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Every further write fails too.
    if (controller.signal.aborted) return;
    const failure = new OutputFailure(`the output could not be written: ${error.code ?? error.message}`);
    const isReaderGone = error.code === "EPIPE";
    process.exitCode = isReaderGone ? EXIT_READER_GONE : 1;
    if (!isReaderGone) process.stderr.write(`${program}: ${failure.message}\n`);
    controller.abort(failure);
  });
  return controller.signal;
}
