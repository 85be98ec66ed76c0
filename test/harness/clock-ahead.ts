/**
 * Preloaded into a process by NODE_OPTIONS (`clockAhead`), makes its clock go ahead of the machine's: the system's own
 * clock is nobody's to set in a test.
 */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

if (aheadMs !== 0) {
  const RealDate = Date;
  const now = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    // Date called as a function gives the time as text.
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + aheadMs });
}

/** The environment of a process whose clock is so far ahead, or behind when negative. */
export function clockAhead(ms: number): Record<string, string> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, CLOCK_AHEAD_MS: String(ms) };
}
