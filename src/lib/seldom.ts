const REPORT_MS = 30_000;

/** Hands on the first of many reports, and then at most one in half a minute: what fails again and again must not fill the log. */
export function seldom<Report>(
  report: (told: Report) => void,
  monotonicMs: () => number = () => performance.now(),
): (told: Report) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (told) => {
    const nowMs = monotonicMs();
    if (nowMs - reportedMs < REPORT_MS) return;
    reportedMs = nowMs;
    report(told);
  };
}
