import { expect } from "vitest";
import { expectProblem } from "./problem.ts";
import type { Answer, TestService } from "./service.ts";
import { fieldsOf, SHAPES } from "./shapes.ts";

/** A consumer with keys, and how they are named. */
export interface Owner {
  consumerId: string;
  keys: string[];
  keyIds: string[];
}

export async function createOwner(service: TestService, consumer: object = {}, keyCount = 2): Promise<Owner> {
  const { consumerId } = await service.ok("/consumer/create", consumer);
  const made = await Promise.all(Array.from({ length: keyCount }, () => service.ok("/key/create", { consumerId })));
  return { consumerId, keys: made.map(({ key }) => key), keyIds: made.map(({ keyId }) => keyId) };
}

export const remove = (service: TestService, consumerId: string, permanent?: boolean): Promise<Answer> =>
  service.call("/consumer/delete", { consumerId, ...(permanent !== undefined && { permanent }) });
export const update = (service: TestService, consumerId: string, change: object): Promise<Answer> =>
  service.call("/consumer/update", { consumerId, ...change });
export const restore = (service: TestService, consumerId: string): Promise<Answer> =>
  update(service, consumerId, { status: "active" });

/** What a validation of each key says, without charging for it. */
export async function verdicts(service: TestService, keys: string[]): Promise<string[]> {
  return await Promise.all(keys.map(async (key) => (await service.ok("/key/validate", { key, credits: 0 })).code));
}

export function expectDeleted(answer: Answer, consumerId: string, permanent: boolean, keysAffected: number): void {
  expect(answer.body).toEqual({
    ...{ consumerId, deleted: true, permanent, keysAffected, message: expect.stringMatching(/./) },
    deletedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect([answer.status, fieldsOf(answer.body)]).toEqual([200, SHAPES.deleted]);
}

export function expectRestored({ status, body }: Answer, consumerId: string, keysRestored: number): void {
  expect(body).toMatchObject({ consumerId, status: "active", keysRestored });
  expect([status, fieldsOf(body)]).toEqual([200, SHAPES.updated]);
}

/** That every call that names the consumer or a key of it says that it does not exist. */
export async function expectGone(service: TestService, { consumerId, keys, keyIds }: Owner): Promise<void> {
  for (const name of ["details", "keys", "update", "delete"]) {
    expectProblem(await service.call(`/consumer/${name}`, { consumerId }), 404, "not_found");
  }
  expectProblem(await remove(service, consumerId, true), 404, "not_found");
  expectProblem(await restore(service, consumerId), 404, "not_found");
  expectProblem(await service.call("/key/create", { consumerId }), 404, "not_found");
  for (const keyId of keyIds) expectProblem(await service.call("/key/details", { keyId }), 404, "not_found");
  expect(new Set(await verdicts(service, keys))).toEqual(new Set(["NOT_FOUND"]));
  expect((await service.ok("/consumer/list", { search: consumerId })).filtered).toBe(0);
}
