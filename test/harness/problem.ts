import { expect } from "vitest";
import type { Answer } from "./service.ts";

/** Asserts the whole form of a problem. */
export function expectProblem(answer: Answer, status: number, code: string, fields: string[] = []): void {
  expect(answer.body).toMatchObject({ status, code, type: expect.stringMatching(/^urn:keysvc:problem:/) });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(answer.headers.get("x-request-id")).toBe(answer.body.requestId);
  expect((answer.body.errors ?? []).map(({ field }: { field: string }) => field).sort()).toEqual(fields.sort());
  expect(JSON.stringify(answer.body)).not.toMatch(/mongo|node_modules|\.ts\b|Error:|stack/i);
}
