import { expect, it } from "vitest";
import { rotateSecrets, validSecrets } from "./secret.ts";

const [FIRST, SECOND, THIRD] = ["1", "2", "3"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
const rotated = (before: ReturnType<typeof rotateSecrets> | null, value: Buffer, graceSeconds: number, nowMs: number) =>
  rotateSecrets(before, "project_1", value, graceSeconds, nowMs);

it("the first secret has none before it", () => {
  expect(rotated(null, FIRST, 60, 0)).toEqual({ _id: "project_1:signing", current: FIRST, previous: null });
});

it("a secret that was rotated away signs beside the new one until its grace ends, to the millisecond", () => {
  const secrets = rotated(rotated(null, FIRST, 60, 0), SECOND, 60, 1_000);
  expect(validSecrets(secrets, 60_999)).toEqual([SECOND, FIRST]);
  expect(validSecrets(secrets, 61_000)).toEqual([SECOND]);
});

it("without a grace it ends at once", () => {
  expect(validSecrets(rotated(rotated(null, FIRST, 60, 0), SECOND, 0, 1_000), 1_000)).toEqual([SECOND]);
});

it("two are valid at most: a second rotation ends the grace of the first", () => {
  const secrets = rotated(rotated(rotated(null, FIRST, 60, 0), SECOND, 60, 0), THIRD, 60, 0);
  expect(validSecrets(secrets, 1)).toEqual([THIRD, SECOND]);
});
