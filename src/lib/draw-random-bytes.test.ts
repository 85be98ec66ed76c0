import { expect, it } from "vitest";
import { drawRandomBytes } from "./draw-random-bytes.ts";

it("draws as many bytes as are asked for, also more than a block", () => {
  for (const count of [0, 1, 10, 8_191, 8_192, 20_000]) expect(drawRandomBytes(count)).toHaveLength(count);
});

it("gives no bytes out twice, and never changes those that it gave out", () => {
  const drawn = Array.from({ length: 5_000 }, () => drawRandomBytes(12));
  const texts = drawn.map((bytes) => bytes.toString("hex"));
  for (let n = 0; n < 5_000; n++) drawRandomBytes(12);
  expect(drawn.map((bytes) => bytes.toString("hex"))).toEqual(texts);
  expect(new Set(texts).size).toBe(5_000);
});
