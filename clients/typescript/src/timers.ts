/** Anything that `setTimeout` gives: a number in browsers, an object elsewhere. */
type Timer = ReturnType<typeof setTimeout>;

/** A timer that does not keep the process alive, where there is such a thing. */
export function quietTimer(run: () => void, delayMs: number): Timer {
  const timer: Timer & { unref?: () => void } = setTimeout(run, delayMs);
  timer.unref?.();
  return timer;
}

/** Resolves after a time. Aborted, it rejects with the signal's reason. */
export function pause(
  delayMs: number,
  signal?: AbortSignal,
  start: (run: () => void, delayMs: number) => Timer = setTimeout,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Whichever is first: the work is done, or the signal is aborted, which rejects with its reason. The work goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
