import { defineConfig } from "vitest/config";

/** No test says how long it takes: a machine that is busy with others is slow, and what hangs is told of in the end. */
const PATIENCE = { testTimeout: 120_000, expect: { poll: { timeout: 10_000 } } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...PATIENCE,
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/house/**/*.test.ts",
            "release/**/*.test.ts",
            "clients/typescript/src/**/*.test.ts",
          ],
        },
      },
      {
        test: {
          ...PATIENCE,
          name: "clients",
          include: ["clients/typescript/test/**/*.test.ts"],
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...PATIENCE,
          name: "real",
          include: ["test/{integration,conformance,faults,release}/**/*.test.ts"],
          globalSetup: ["test/harness/database.ts"],
          hookTimeout: 120_000,
          // Two cores, and a database beside the tests.
          maxWorkers: 2,
        },
      },
    ],
  },
});
