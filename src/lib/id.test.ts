import { describe, expect, it } from "vitest";
import { createId, type IdPrefix } from "./id.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("createId", () => {
  it.each<IdPrefix>(["consumer", "key", "api", "plan", "project", "credential", "req", "evt"])(
    "makes %s_ and 26 characters of Crockford's base 32",
    (prefix) => {
      expect(createId(prefix, NOW)).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
    },
  );

  it("makes 100,000 ids in one millisecond without a double", () => {
    const ids = Array.from({ length: 100_000 }, () => createId("evt", NOW));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("makes ids that sort as texts by the millisecond in which they were made", () => {
    const times = [0, 1, 31, 32, 1_000_000, NOW - 1, NOW, NOW + 1, NOW + 86_400_000, 2 ** 48 - 1];
    const ids = times.map((time) => createId("req", time));
    expect([...ids].sort()).toEqual(ids);
  });

  it("writes the time of a ULID: 48 bits, biggest first", () => {
    // The example in the README of ULID: 01ARYZ6S41 is 1469918176385.
    expect(createId("key", 1_469_918_176_385)).toMatch(/^key_01aryz6s41/);
    expect(createId("key", 0)).toMatch(/^key_0000000000/);
  });

  it("fills its random part evenly: each character is as likely as another at each place", () => {
    const counts = Array.from({ length: 16 }, () => new Map<string, number>());
    for (let made = 0; made < 32_000; made++) {
      const random = createId("key", NOW).slice(-16);
      for (const [place, count] of counts.entries()) {
        const character = random.charAt(place);
        count.set(character, (count.get(character) ?? 0) + 1);
      }
    }
    for (const count of counts) {
      expect(count.size).toBe(32);
      // 1,000 expected, standard deviation 31: eight of them are never met by chance.
      for (const times of count.values()) expect(Math.abs(times - 1_000)).toBeLessThan(250);
    }
  });
});
