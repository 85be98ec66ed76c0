import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { NameLookUp } from "./name-look-up.ts";

function setUp() {
  const asked: string[][] = [];
  const state = {
    nowMs: 0,
    names: new Map([
      ["a", "A"],
      ["b", "B"],
    ]),
    failure: undefined as Error | undefined,
  };
  const find = async (projectId: string, ids: readonly string[]) => {
    asked.push([projectId, ...ids]);
    if (state.failure !== undefined) throw state.failure;
    return new Map([...state.names].filter(([id]) => ids.includes(id)));
  };
  const lookUp = new NameLookUp({ find, ageMaxMs: 100, entriesMax: 1_000, monotonicMs: () => state.nowMs });
  return { asked, state, find: (...ids: string[]) => lookUp.find("project_1", new Set(ids)), lookUp };
}

it("asks for all that it does not remember at once, also of those that are not there", async () => {
  const { asked, find } = setUp();
  expect(await find("a", "none")).toEqual(new Map([["a", "A"]]));
  expect(await find("a", "b", "none")).toEqual(
    new Map([
      ["a", "A"],
      ["b", "B"],
    ]),
  );
  expect(await find()).toEqual(new Map());
  expect(asked).toEqual([
    ["project_1", "a", "none"],
    ["project_1", "b"],
  ]);
});

it("lets callers who ask at once share an answer", async () => {
  const { asked, find } = setUp();
  expect(await Promise.all([find("a", "b"), find("b"), find("a")])).toHaveLength(3);
  expect(asked).toEqual([["project_1", "a", "b"]]);
});

it("forgets a name after a while, and a failure at once", async () => {
  const { state, find } = setUp();
  await find("a");
  state.names.set("a", "another");
  expect((await find("a")).get("a")).toBe("A");
  state.nowMs = 101;
  expect((await find("a")).get("a")).toBe("another");
  state.nowMs = 202;
  state.failure = new Error("out of reach");
  await expect(find("a")).rejects.toThrow("out of reach");
  state.failure = undefined;
  expect((await find("a")).get("a")).toBe("another");
});

it("tells who waits for two questions of the first that fails, and leaves no failure of the second unhandled", async () => {
  const { asked, state, find } = setUp();
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  state.failure = new Error("out of reach");
  const calls = await Promise.allSettled([find("a"), find("a", "b")]);
  expect(calls.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  // By then the second question has failed as well, and the process has been told of what nobody handles.
  await sleep(10);
  expect(asked).toEqual([
    ["project_1", "a"],
    ["project_1", "b"],
  ]);
  expect(unhandled).not.toHaveBeenCalled();
});

it("keeps the names of projects apart", async () => {
  const { asked, find, lookUp } = setUp();
  await find("a");
  await lookUp.find("project_2", new Set(["a"]));
  expect(asked).toEqual([
    ["project_1", "a"],
    ["project_2", "a"],
  ]);
});
