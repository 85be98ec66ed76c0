import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let consumerId: string;
let key: string;
beforeAll(async () => {
  service = await startService();
  ({ consumerId, key } = await createConsumerWithKey(service));
});
afterAll(() => service.close());

const BYTES_MAX = 65_536;
/** The text of metadata of so many bytes. */
const ofBytes = (bytes: number, unit = "x") => {
  const text = unit.repeat(Math.floor((bytes - 8) / Buffer.byteLength(unit)));
  return JSON.stringify({ a: text.padEnd(text.length + bytes - 8 - Buffer.byteLength(text)) });
};
const objects = (levels: number): string => (levels === 1 ? "{}" : `{"a":${objects(levels - 1)}}`);
const lists = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

/** Every place that shows the metadata of the consumer, as JSON. */
async function shown(): Promise<string[]> {
  const { metadata } = await service.ok("/consumer/details", { consumerId });
  const [entry] = (await service.ok("/audit/list", { targetId: consumerId, pageSize: 1 })).entries;
  const shownOnValidate = async () => JSON.stringify((await service.ok("/key/validate", { key })).consumer.metadata);
  // A consumer without limits is judged from memory, which follows within 200 ms.
  await expect.poll(shownOnValidate).toBe(JSON.stringify(metadata));
  return [JSON.stringify(metadata), JSON.stringify(entry.after.metadata)];
}

describe("metadata", () => {
  it.each([
    [
      "every type of JSON",
      '{"null":null,"true":true,"false":false,"text":"x","number":1,"list":[[]],"object":{"a":{}}}',
    ],
    ["nothing in it", "{}"],
    ["empty things", '{"":"","a":[],"b":{},"c":[{},[],"",null]}'],
    ["numbers at their bounds", '{"a":[0,-1,0.1,5e-324,1.7976931348623157e+308,9007199254740991,-9007199254740991]}'],
    ["2^53, which a double holds", '{"a":9007199254740992}'],
    [
      "operators",
      '{"$set":{"name":"x"},"$name":"$$ROOT","$where":"sleep(1)","a":[{"$ne":null}],"$expr":{"$literal":1}}',
    ],
    [
      "types of the database",
      '{"$oid":"0123456789abcdef01234567","a":{"$date":1},"_id":1,"$numberLong":"5","$ref":"x"}',
    ],
    ["paths", '{"a.b":1,"a":{"b":2},".":3,"a.":4,".b":5,"$":6,"a.$[]":7}'],
    [
      "names of every object",
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"toString":1,"hasOwnProperty":0}',
    ],
    ["a prototype of null", '{"__proto__":null,"length":-1}'],
    ["a NUL in values", '{"a":"\\u0000","b":["x\\u0000y"]}'],
    ["odd characters", '{"🗝":"👨‍👩‍👧","é":"e\u0301","\u202e":"\u2028","ﬀ":"\uffff","\\\\":"\\"\\n"}'],
    ["the order of its keys", '{"z":1,"a":2,"m":{"y":1,"b":2}}'],
    ["32 levels of objects", objects(32)],
    ["32 levels of lists", lists(32)],
    ["65,536 bytes", ofBytes(BYTES_MAX)],
    ["65,536 bytes of UTF-8", ofBytes(BYTES_MAX, "🗝")],
    [
      "4,000 keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, index]))),
    ],
  ])("is kept as it is, byte for byte, wherever it is shown: %s", async (_title, json) => {
    const made = await service.call("/consumer/create", `{"metadata":${json}}`);
    expect(made.status).toBe(200);
    const details = await service.ok("/consumer/details", { consumerId: made.body.consumerId });
    expect(JSON.stringify(details.metadata)).toBe(json);
    await service.ok("/consumer/update", { consumerId, metadata: { before: true } });
    expect((await service.call("/consumer/update", `{"consumerId":"${consumerId}","metadata":${json}}`)).status).toBe(
      200,
    );
    expect(await shown()).toEqual([json, json]);
    expect((await service.ok("/consumer/details", { consumerId })).name).toBe(null);
  });

  it.each<[string, string, string]>([
    ["-0", '{"a":-0}', '{"a":0}'],
    ["a number too small for a double", '{"a":1e-400}', '{"a":0}'],
    ["a number between two doubles", '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ["a key twice", '{"a":1,"a":2}', '{"a":2}'],
    ["another way to write a number", '{"a":[1.0,1E2,1e+21]}', '{"a":[1,100,1e+21]}'],
    ["an escaped character", '{"\\u0061":"\\ud83d\\udd11"}', '{"a":"🔑"}'],
  ])("takes what JSON means by %s", async (_title, json, expected) => {
    const { body } = await service.call("/consumer/create", `{"metadata":${json}}`);
    const details = await service.ok("/consumer/details", { consumerId: body.consumerId });
    expect(JSON.stringify(details.metadata)).toBe(expected);
  });

  it.each([
    ["33 levels of objects", objects(33)],
    ["33 levels of lists", lists(33)],
    ["65,537 bytes", ofBytes(BYTES_MAX + 1)],
    ["65,537 bytes of UTF-8", ofBytes(BYTES_MAX + 1, "🗝")],
    ["65,537 bytes of numbers", `{"a":[${Array(32_765).fill(1)}]}`],
    ["a NUL in a key", '{"a\\u0000":1}'],
    ["a NUL in a key within", '{"a":[{"b":{"\\u0000":1}}]}'],
    ["a lone high surrogate in a value", '{"a":"\\ud800"}'],
    ["a lone low surrogate in a value within", '{"a":[{"b":"x\\udfff"}]}'],
    ["a lone surrogate in a key", '{"\\udc00":1}'],
    ["surrogates in the wrong order", '{"a":"\\udc00\\ud800"}'],
    ["a number beyond a double", '{"a":1e309}'],
    ["a list", "[]"],
    ["a text", '"{}"'],
  ])("of %s is refused by name, and changes nothing", async (_title, json) => {
    await service.ok("/consumer/update", { consumerId, metadata: { kept: true } });
    expectProblem(await service.call("/consumer/create", `{"metadata":${json}}`), 400, "invalid_argument", [
      "metadata",
    ]);
    const refused = await service.call("/consumer/update", `{"consumerId":"${consumerId}","metadata":${json}}`);
    expectProblem(refused, 400, "invalid_argument", ["metadata"]);
    expect((await service.ok("/consumer/details", { consumerId })).metadata).toEqual({ kept: true });
  });

  it("is replaced as a whole, never merged", async () => {
    await service.ok("/consumer/update", { consumerId, metadata: { a: { b: 1 }, c: 2 } });
    await service.ok("/consumer/update", { consumerId, metadata: { a: { d: 3 } } });
    expect((await service.ok("/consumer/details", { consumerId })).metadata).toEqual({ a: { d: 3 } });
  });
});

describe("a lone surrogate", () => {
  it.each<[string, string, string]>([
    ["/consumer/create", '{"name":"a\\ud800"}', "name"],
    ["/consumer/create", '{"imageUrl":"\\udc00"}', "imageUrl"],
    ["/consumer/create", '{"externalId":"\\ud800x"}', "externalId"],
    ["/consumer/create", '{"tags":["ok","\\udfff"]}', "tags[1]"],
    ["/consumer/create", '{"planId":"\\ud800"}', "planId"],
    [
      "/consumer/create",
      '{"credits":{"limit":1,"refill":{"every":"\\ud800","refillCredit":1}}}',
      "credits.refill.every",
    ],
    ["/consumer/list", '{"search":"\\ud800"}', "search"],
    ["/consumer/list", '{"planId":"\\ud800"}', "planId"],
    ["/consumer/details", '{"consumerId":"\\ud800"}', "consumerId"],
    ["/audit/list", '{"targetId":"\\ud800"}', "targetId"],
    ["/audit/list", '{"cursor":"\\ud800"}', "cursor"],
  ])("to %s in %s is refused by name", async (path, body, field) => {
    expectProblem(await service.call(path, body), 400, "invalid_argument", [field]);
  });
});
