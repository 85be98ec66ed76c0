import { expect, it } from "vitest";
import { enums, messages, methods } from "../gen/gateway.js";
import { type JsonSurface, jsonBreaks } from "./json-breaks.ts";
import { releasedSurface } from "./released-surface.ts";

const NOW: JsonSurface = { methods, messages, enums };

it("callers over JSON of the last release are not broken", () => {
  expect(releasedSurface().methods.length).toBeGreaterThan(30);
  expect(jsonBreaks(releasedSurface(), NOW)).toEqual([]);
});

/** What there is now, with a change of one field of a request. */
function withField(change: object): JsonSurface {
  const changed = { ...NOW, messages: structuredClone(messages) };
  const field = changed.messages["keysvc.v1.ConsumerServiceCreateRequest"]?.fields.find(({ name }) => name === "tags");
  if (field === undefined) throw new Error("the field is not there");
  Object.assign(field, change);
  return changed;
}

const first = methods.find(({ path }) => path === "/consumer/create");
const withMethod = (change: object): JsonSurface => ({
  ...NOW,
  methods: methods.map((method) => (method === first ? { ...method, ...change } : method)),
});

it.each<[title: string, now: JsonSurface, break_: string]>([
  ["a path", withMethod({ path: "/consumer/make" }), "/consumer/create is gone"],
  ["a scope", withMethod({ scope: "operator" }), "/consumer/create needs the scope operator, not manage"],
  ["a size", withMethod({ maxRequestBytes: 9 }), "/consumer/create takes 9 bytes at most"],
  ["a form", withMethod({ streaming: true }), "/consumer/create streams"],
  ["a name", withField({ name: "labels" }), "keysvc.v1.ConsumerServiceCreateRequest.tags is gone"],
  ["a kind", withField({ kind: "int" }), "keysvc.v1.ConsumerServiceCreateRequest.tags has another kind"],
  ["a list", withField({ list: undefined }), "keysvc.v1.ConsumerServiceCreateRequest.tags has another list"],
  ["a rule", withField({ required: true }), "keysvc.v1.ConsumerServiceCreateRequest.tags is required"],
  ["a bound", withField({ itemsMax: 1 }), "keysvc.v1.ConsumerServiceCreateRequest.tags takes 1 at most"],
  [
    "a word",
    { ...NOW, enums: { ...enums, "keysvc.v1.VerdictCode": [null, "FINE"] } },
    "the word VALID of keysvc.v1.VerdictCode is gone",
  ],
])("a change of %s breaks them", (_title, now, found) => {
  expect(jsonBreaks(NOW, now)).toContain(found);
});

it("what is added, or taken more leniently, breaks nobody", () => {
  expect(jsonBreaks(withField({ required: true, itemsMax: 1 }), NOW)).toEqual([]);
  expect(jsonBreaks({ ...NOW, methods: methods.slice(1) }, NOW)).toEqual([]);
});
