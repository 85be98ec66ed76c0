import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { programBeside } from "./program-beside.ts";

it("finds the program of the same kind as the module", () => {
  expect(existsSync(programBeside(import.meta.url, "program-beside"))).toBe(true);
  expect(programBeside("file:///a/dist/listing/worker-client.js", "worker").pathname).toBe("/a/dist/listing/worker.js");
});
