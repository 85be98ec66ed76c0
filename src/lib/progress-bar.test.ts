import { expect, it } from "vitest";
import { createProgressBar, percentOf, renderProgress } from "./progress-bar.ts";

function recordOutput(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, output: { isTTY, columns, write: (text: string) => written.push(text) } };
}

it("percents are rounded down, so that 100 means done", () => {
  expect([0, 1, 9_999, 10_000].map((done) => percentOf(done, 10_000))).toEqual([0, 0, 99, 100]);
});

it("a bar has the same length at every step", () => {
  expect(renderProgress(5_000, 10_000, 8)).toBe("[####    ]  50 %   5,000 of 10,000");
  expect(renderProgress(10_000, 10_000, 8)).toBe("[########] 100 %  10,000 of 10,000");
  expect(renderProgress(0, 10_000, 8)).toBe("[        ]   0 %       0 of 10,000");
});

it("without a terminal there is one line for every 10 %, and none twice", () => {
  const { written, output } = recordOutput(false);
  const bar = createProgressBar(output, 1_000);
  for (let done = 1; done <= 1_000; done++) bar.update(done);
  bar.end();
  const percents = written.map((line) => /(\d+) %/.exec(line)?.[1]);
  expect(percents).toEqual(["10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]);
  expect(written.every((line) => /^[^\r\n]+\n$/.test(line))).toBe(true);
});

it("on a terminal one line is redrawn, a few times a second, within its width", () => {
  const { written, output } = recordOutput(true, 60);
  const bar = createProgressBar(output, 10_000);
  for (let done = 1; done <= 10_000; done++) bar.update(done);
  bar.end();
  bar.end();
  expect(written.length).toBeLessThan(100);
  const end = written.pop();
  expect(end).toBe("\n");
  expect(written.at(-1)).toContain("100 %");
  for (const text of written) {
    expect(text.startsWith("\r\u001b[2K")).toBe(true);
    expect(text.length - "\r\u001b[2K".length).toBeLessThan(60);
  }
});
