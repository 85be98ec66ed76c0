import { expect, it } from "vitest";
import { DRAFT_EVENTS_MAX, draftsOf, withoutRecorded } from "./draft.ts";

const part = (requestIds: string[]) => ({
  projectId: "project_1",
  rows: requestIds.map((id, index) => `${id}/${index}`),
  requestIds,
});

it("puts the portions of a project together, each id once, and counts with each portion what it repeats", () => {
  const { drafts, duplicates } = draftsOf([part(["a", "b", "a"]), part(["b"]), part(["c", "a"])]);
  expect(drafts).toEqual([
    { projectId: "project_1", rows: ["a/0", "b/1", "c/0"], requestIds: ["a", "b", "c"], owners: [0, 0, 2] },
  ]);
  expect(duplicates).toEqual([1, 1, 1]);
});

it("takes events without an id for another one each", () => {
  const { drafts, duplicates } = draftsOf([part(["", "", "a"]), part(["", "a"])]);
  expect(drafts.map(({ requestIds }) => requestIds)).toEqual([["", "", "a", ""]]);
  expect(duplicates).toEqual([0, 1]);
});

it("makes no draft with more events than a document has, and says of each whose it is", () => {
  const many = (prefix: string, count: number) =>
    part(Array.from({ length: count }, (_event, index) => `${prefix}-${index}`));
  const sizes = [100, 149, 2, DRAFT_EVENTS_MAX, 2 * DRAFT_EVENTS_MAX];
  const { drafts } = draftsOf(sizes.map((count, index) => many(String(index), count)));
  expect(drafts.map(({ rows }) => rows.length)).toEqual([250, 250, 250, 250, 1]);
  const owners = drafts.flatMap(({ owners }) => owners);
  expect(owners).toEqual(sizes.flatMap((count, index) => Array(count).fill(index)));
  expect(drafts.flatMap(({ requestIds }) => requestIds).map((id) => Number(id.split("-")[0]))).toEqual(owners);
});

it("makes no draft of a portion of nothing but repeated events", () => {
  const whole = part(Array.from({ length: DRAFT_EVENTS_MAX }, (_event, index) => `id-${index}`));
  const { drafts, duplicates } = draftsOf([whole, whole]);
  expect([drafts.length, duplicates]).toEqual([1, [0, DRAFT_EVENTS_MAX]]);
});

it("leaves out what is recorded, counts it with its portion, and keeps the rest as it was", () => {
  const { drafts, duplicates } = draftsOf([part(["a", "b", ""]), part(["c", "b"]), part(["d"])]);
  const [draft] = drafts;
  if (draft === undefined) throw new Error("no draft");
  expect(withoutRecorded(draft, new Set(["a", "c", "x"]), duplicates)).toEqual({
    ...{ projectId: "project_1", rows: ["b/1", "/2", "d/0"], requestIds: ["b", "", "d"], owners: [0, 0, 2] },
  });
  expect(duplicates).toEqual([1, 2, 0]);
  expect(withoutRecorded(draft, new Set(), [])).toEqual(draft);
  const [repeated] = draftsOf([part(["a"])]).drafts;
  expect(repeated && withoutRecorded(repeated, new Set(["a"]), [])).toBeUndefined();
});
