import { createBenchClient } from "./http-client.ts";
import type { BenchServer } from "./servers.ts";

export interface BenchProject {
  projectId: string;
  /** Its credential. */
  projectKey: string;
}

export async function createProject({ port }: BenchServer, adminKey: string, name: string): Promise<BenchProject> {
  const operator = createBenchClient(`http://127.0.0.1:${port}`, adminKey);
  try {
    return await operator.call("/project/create", { name });
  } finally {
    operator.close();
  }
}
