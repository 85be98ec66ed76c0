import { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PacedWriter } from "./paced-writer.ts";

/** A reader that takes a piece only when it is told to. */
function slowReader() {
  const pieces: string[] = [];
  let take = (): void => undefined;
  const out = new Writable({
    highWaterMark: 1_000,
    decodeStrings: false,
    write(chunk, _encoding, callback) {
      pieces.push(chunk);
      take = callback;
    },
  });
  return { out, pieces, take: () => take() };
}

const isSettled = async (promise: Promise<unknown> | undefined) => {
  let settled = false;
  promise?.then(() => {
    settled = true;
  });
  await nextTurn();
  await nextTurn();
  return settled;
};

describe("PacedWriter", () => {
  it("sends what is written in one turn together, at its end", async () => {
    const { out, pieces } = slowReader();
    const writer = new PacedWriter(out);
    for (const text of ["a", "b", "c"]) expect(writer.write(text)).toBeUndefined();
    expect(pieces).toEqual([]);
    await nextTurn();
    expect(pieces).toEqual(["abc"]);
  });

  it("makes the writer wait while the reader does not read, and go on when it has", async () => {
    const { out, pieces, take } = slowReader();
    const writer = new PacedWriter(out);
    const room = writer.write("x".repeat(20_000));
    expect(pieces.join("")).toHaveLength(20_000);
    expect(await isSettled(room)).toBe(false);
    expect(writer.isFull).toBe(true);
    take();
    await room;
    expect(writer.isFull).toBe(false);
  });

  it("gives the event loop a turn after each piece, also when the reader keeps up", async () => {
    const out = new Writable({ write: (_chunk, _encoding, callback) => callback() });
    const writer = new PacedWriter(out);
    let turns = 0;
    const other = setInterval(() => turns++, 0);
    for (let index = 0; index < 100; index++) await writer.write("x".repeat(20_000));
    clearInterval(other);
    expect(turns).toBeGreaterThan(0);
  });

  it("sends all that was written before the end", async () => {
    const { out, pieces, take } = slowReader();
    const writer = new PacedWriter(out);
    writer.write("a");
    writer.write("b");
    writer.end();
    take();
    await new Promise((resolve) => out.once("finish", resolve));
    expect(pieces.join("")).toBe("ab");
  });

  it.each([
    ["is woken", (writer: PacedWriter) => writer.wake()],
    ["has no reader any more", (_writer: PacedWriter, out: Writable) => out.destroy()],
  ])("lets go who waits when it %s", async (_title, end) => {
    const { out } = slowReader();
    const writer = new PacedWriter(out);
    const room = writer.write("x".repeat(20_000));
    end(writer, out);
    await room;
    expect(writer.isFull).toBe(true);
  });

  it("writes nothing to a reader who has left", async () => {
    const { out, pieces } = slowReader();
    const writer = new PacedWriter(out);
    out.destroy();
    await writer.write("x".repeat(20_000));
    writer.end();
    expect(pieces).toEqual([]);
  });
});
