import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
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
          name: "clients",
          include: ["clients/typescript/test/**/*.test.ts"],
          testTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "real",
          include: ["test/{integration,conformance,faults,release}/**/*.test.ts"],
          globalSetup: ["test/harness/database.ts"],
          testTimeout: 30_000,
          hookTimeout: 120_000,
          // Two cores, and a database beside the tests.
          maxWorkers: 2,
        },
      },
    ],
  },
});
