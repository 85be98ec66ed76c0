import { expect, it } from "vitest";
import { BATCH_MAX, BATCH_MIN, createSparePace } from "./spare-pace.ts";

it("strangers are looked up as many at once as there may be while the thread has time", () => {
  const pace = createSparePace(() => 0.5);
  expect([pace(), pace()]).toEqual([BATCH_MAX, BATCH_MAX]);
});

it("a busy thread halves them, never below the least, and an idle one lets them grow again", () => {
  let busyShare: number | undefined = 0.9;
  const pace = createSparePace(() => busyShare);
  expect([pace(), pace(), pace()]).toEqual([250, 125, 62]);
  for (let round = 0; round < 10; round++) pace();
  expect(pace()).toBe(BATCH_MIN);
  busyShare = 0.1;
  expect([pace(), pace()]).toEqual([BATCH_MIN * 1.5, BATCH_MIN * 2.25]);
  busyShare = undefined;
  expect(pace(), "nothing is known").toBe(BATCH_MIN * 2.25);
});
