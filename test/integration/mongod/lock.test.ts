import { afterEach, expect, it } from "vitest";
import { cleanUp, count, start, temporaryFolder, write } from "./harness.ts";

afterEach(cleanUp);

it("two services never open the same data dir: the second gives up with a message after 10 s", async () => {
  const dataDir = await temporaryFolder();
  const first = await start(dataDir);
  const startMs = performance.now();
  await expect(start(dataDir)).rejects.toThrow(
    `Another mongod (pid ${first.pid}) has the embedded database ${dataDir}/mongod/db open`,
  );
  // And not tried again.
  expect(performance.now() - startMs).toBeLessThan(19_000);
  await write(first.uri, 1);
  expect(await count(first.uri)).toBe(1);
});

it("of services that start at the same moment on the same data dir, one wins and the others do not disturb it", async () => {
  const dataDir = await temporaryFolder();
  const outcomes = await Promise.allSettled([start(dataDir), start(dataDir), start(dataDir)]);
  const winners = outcomes.filter((outcome) => outcome.status === "fulfilled").map((outcome) => outcome.value);
  expect(winners).toHaveLength(1);
  for (const { uri } of winners) await write(uri, 1);
});

it("a start waits for a mongod that is still stopping", async () => {
  const dataDir = await temporaryFolder();
  const first = await start(dataDir);
  await write(first.uri, 1);
  const stopped = first.stop();
  const lines: string[] = [];
  const second = await start(dataDir, (line) => lines.push(line));
  await stopped;
  expect(await count(second.uri)).toBe(1);
  expect(lines[0]).toMatch(/^waiting for the mongod \(pid \d+\) that still has /);
});
