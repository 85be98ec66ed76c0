import { formatCount } from "./format-count.ts";

/** Where a progress bar is drawn: process.stdout, or a stand-in of a test. */
export interface ProgressOutput {
  isTTY?: boolean | undefined;
  /** Width of the terminal in characters; 0 or undefined when it does not say. */
  columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** Tells how much is done by now; calls are cheap. */
  update(done: number): void;
  /** Leaves the bar as it stands and begins a new line. Idempotent. */
  end(): void;
}

const REDRAW_INTERVAL_MS = 50;
const BAR_CELLS = 40;
/** Room for the counts behind the bar. */
const TEXT_CELLS = 32;
const ERASE_LINE = "\r\u001b[2K";

/**
 * Shows progress: on a terminal as a bar that is redrawn in place, elsewhere (a file, a CI log) as a line for every
 * 10 %.
 *
 * @param total more than 0
 */
export function createProgressBar(output: ProgressOutput, total: number): ProgressBar {
  return output.isTTY === true ? redrawnBar(output, total) : printedLines(output, total);
}

/** The bar as text of a constant length, such as `[####    ]  50 %  5,000 of 10,000`. */
export function renderProgress(done: number, total: number, cells = BAR_CELLS): string {
  const filled = Math.floor((cells * done) / total);
  const bar = "#".repeat(filled).padEnd(cells);
  const count = formatCount(done).padStart(formatCount(total).length);
  return `[${bar}] ${String(percentOf(done, total)).padStart(3)} %  ${count} of ${formatCount(total)}`;
}

/** Whole percents, rounded down: 100 only when all is done. */
export function percentOf(done: number, total: number): number {
  return Math.floor((100 * done) / total);
}

function redrawnBar(output: ProgressOutput, total: number): ProgressBar {
  let done = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let hasEnded = false;
  const draw = () => {
    // A line that wraps could not be erased.
    const cells = Math.max(1, Math.min(BAR_CELLS, (output.columns || 80) - TEXT_CELLS));
    output.write(`${ERASE_LINE}${renderProgress(done, total, cells)}`);
    drawnAtMs = performance.now();
  };
  return {
    update(doneNow) {
      done = doneNow;
      if (performance.now() - drawnAtMs >= REDRAW_INTERVAL_MS) draw();
    },
    end() {
      if (hasEnded) return;
      hasEnded = true;
      draw();
      output.write("\n");
    },
  };
}

function printedLines(output: ProgressOutput, total: number): ProgressBar {
  let printedTenths = 0;
  return {
    update(done) {
      const tenths = Math.floor((10 * done) / total);
      if (tenths <= printedTenths) return;
      printedTenths = tenths;
      output.write(`${renderProgress(done, total)}\n`);
    },
    end() {},
  };
}
