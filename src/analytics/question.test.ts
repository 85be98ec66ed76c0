import { expect, it } from "vitest";
import { consumerValue } from "../segments/segment.ts";
import { filterOf } from "./question.ts";

const CONSUMERS: [id: string, name: string][] = [
  ["consumer_1", "Acme"],
  ["consumer_2", ""],
  ["", "Acme"],
  ["", ""],
];

it.each<[wanted: string[], passed: [id: string, name: string][]]>([
  [["consumer_1"], [["consumer_1", "Acme"]]],
  [["Acme"], CONSUMERS.filter(([, name]) => name === "Acme")],
  [["consumer_2", "Acme"], CONSUMERS.slice(0, 3)],
  [[""], [["", ""]]],
  [["", "consumer_2"], CONSUMERS.filter(([, name]) => name === "")],
  [["consumer_3"], []],
])("consumers are asked for by id and name, those with neither by the empty text: %j", (wanted, passed) => {
  const { consumer } = filterOf({ filters: { consumer: wanted }, status: "all" });
  expect(CONSUMERS.filter(([id, name]) => consumer?.(consumerValue(id, name)))).toEqual(passed);
});
