import { describe, expect, it } from "vitest";
import { chooseType } from "./choose-type.ts";

const CSV = "text/csv; charset=utf-8; header=present";
const OFFERED = ["text/event-stream", "application/x-ndjson", CSV];

describe("chooseType", () => {
  it.each<[string | undefined, string | undefined]>([
    // Anything will do.
    [undefined, "text/event-stream"],
    ["", "text/event-stream"],
    ["  ", "text/event-stream"],
    ["*/*", "text/event-stream"],
    // One that is named.
    ["text/csv", CSV],
    ["TEXT/CSV", CSV],
    ["application/x-ndjson", "application/x-ndjson"],
    ["application/*", "application/x-ndjson"],
    ["text/*", "text/event-stream"],
    // Several: the one that is named is liked better than what a star stands for, else the first.
    ["text/csv, application/x-ndjson", CSV],
    ["application/x-ndjson,text/csv", "application/x-ndjson"],
    ["*/*, text/csv", CSV],
    ["text/*, application/x-ndjson", "application/x-ndjson"],
    ["text/html, text/csv", CSV],
    // Qualities.
    ["text/csv;q=0.5, application/x-ndjson;q=0.8", "application/x-ndjson"],
    ["text/csv; q=0.5, */*; q=0.1", CSV],
    ["text/csv;q=0.1, */*", "text/event-stream"],
    ["text/csv ; Q=1.000 , application/x-ndjson ; q=0.999", CSV],
    ["text/event-stream;q=0, */*", "application/x-ndjson"],
    ["text/*;q=0, */*;q=0.1", "application/x-ndjson"],
    // The range that names it most exactly decides.
    ["text/*;q=0.3, text/csv;q=0.9, text/event-stream;q=0.1", CSV],
    ["text/csv;q=0.2, text/csv;header=present;q=0.9, application/x-ndjson;q=0.5", CSV],
    // Parameters.
    ["text/csv;charset=UTF-8", CSV],
    ['text/csv; charset="utf-8"; header="present"', CSV],
    ["text/csv;header=absent, application/x-ndjson;q=0.1", "application/x-ndjson"],
    ['text/html;x=",text/csv,", application/x-ndjson', "application/x-ndjson"],
    ['text/html;x=";\\",q=0", text/csv', CSV],
    // Nothing that is offered.
    ["text/html", undefined],
    ["*/*;q=0", undefined],
    ["text/csv;q=0", undefined],
    ["text/csv;header=absent", undefined],
    // What is malformed says nothing.
    ["text", undefined],
    ["*/csv", undefined],
    ["text/csv;q=2", undefined],
    ["text/csv;q=x, application/x-ndjson", "application/x-ndjson"],
    [",,, text/csv ,", CSV],
    ['"', undefined],
  ])("for Accept: %s chooses %s", (accept, chosen) => {
    expect(chooseType(accept, OFFERED)).toBe(chosen);
  });

  it("takes no longer for headers that are made to take long", () => {
    const hostile = [`text/csv;${'a="'.repeat(5_000)}`, `${"*/*,".repeat(4_000)}x`, `"${"\\".repeat(15_000)}`];
    for (const accept of hostile) expect(() => chooseType(accept, OFFERED)).not.toThrow();
  });
});
