import { describe, expect, it } from "vitest";
import { containsLines, matchesOutput } from "../harness/match-output.ts";
import { readGuide } from "../harness/read-guide.ts";

const ID = "01m7ybxckkj48yzmvj5eg0ev80";
const OTHER = "01m808g1cgdd3m1smv89jkhnna";
const block = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`;

describe("a guide", () => {
  it("is read as steps, each command with what it prints", () => {
    const page = [block("sh", "echo 1"), "prints", block("text", "1"), block("sh background app", "./app")];
    const files = [block("ts app.ts", "export {};"), block("text from app", "ready")];
    expect(readGuide([...page, ...files].join("\n"))).toEqual([
      { kind: "run", line: 1, command: "echo 1\n", expected: "1\n" },
      { kind: "start", line: 10, name: "app", command: "./app\n", expected: undefined },
      { kind: "write", line: 14, name: "app.ts", text: "export {};\n" },
      { kind: "printed", line: 18, name: "app", expected: "ready\n" },
    ]);
  });

  it.each([
    ["an output that no command prints", block("json", "{}")],
    ["a second output of one command", block("sh", "echo") + block("text", "") + block("text", "")],
    ["a program without a file", block("ts", "export {};")],
    ["a block of no language", block("", "echo")],
  ])("is refused with %s: nobody would notice when it is wrong", (_title, page) => {
    expect(() => readGuide(page)).toThrow("nothing runs or prints this block");
  });
});

describe("what a command prints is", () => {
  it.each([
    ["the same text", "a\nb\n", "a  \r\nb"],
    ["another id, key or time", `key_${ID} at 2026-11-21T20:52:17.123Z`, `key_${OTHER} at 2026-12-01T00:00:00.000Z`],
    ["anything where the guide leaves it out", "proj_… and …", "proj_x and more"],
    ["any lines where it leaves out lines", "a\n…\nd", "a\nb\nc\nd"],
    ["the same JSON, however it is broken", '{\n "a": [1,\n 2]\n}', '{"a":[1,2]}'],
    [
      "another time and latency in JSON",
      '{"at": 1795305600000, "latencyMs": 3}',
      '{"at":1797833718356,"latencyMs":2.5}',
    ],
    ["the same documents", '{"a": 1}\n{"a": 2}', '{"a":1}\n{"a":2}\n'],
  ])("right: %s", (_title, expected, printed) => {
    expect(matchesOutput(expected, printed)).toBe(true);
  });

  it.each([
    ["another text", "a", "b"],
    ["more lines", "a", "a\nb"],
    ["another kind of id", `key_${ID}`, `plan_${ID}`],
    ["another number", '{"used": 1}', '{"used":2}'],
    ["another text in JSON", '{"code": "VALID"}', '{"code":"INVALID"}'],
    ["a field that the guide does not have", '{"a": 1}', '{"a":1,"b":null}'],
    ["a field less", '{"a": 1, "b": null}', '{"a":1}'],
    ["a shorter list", '{"a": [1, 2]}', '{"a":[1]}'],
    ["one document of two", '{"a": 1}\n{"a": 2}', '{"a":1}'],
    ["a list in place of an object", "{}", "[]"],
  ])("wrong: %s", (_title, expected, printed) => {
    expect(matchesOutput(expected, printed)).toBe(false);
  });

  it("looked for line by line in what a program prints", () => {
    expect(containsLines("two\none", "one\nother\ntwo\n")).toBe(true);
    expect(containsLines("one\none", "one\ntwo\n")).toBe(false);
    expect(containsLines("on", "one\n")).toBe(false);
  });
});
