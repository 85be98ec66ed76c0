import { expect, it } from "vitest";
import { parseArguments, UsageError } from "./parse-arguments.ts";

it("only the number of consumers is needed", () => {
  expect(parseArguments(["--consumers", "1000"])).toEqual({
    consumers: 1_000,
    project: undefined,
    keysPerConsumer: 1,
    seed: 42,
  });
});

it("every argument is read, with a space or an equals sign", () => {
  const commandLine = ["--consumers=2", "--project", "default", "--keys-per-consumer=0", "--seed", "0"];
  expect(parseArguments(commandLine)).toEqual({ consumers: 2, project: "default", keysPerConsumer: 0, seed: 0 });
});

it.each(["--help", "-h"])("%s asks for help, whatever else is given", (option) => {
  expect(parseArguments(["--consumers", "many", option])).toBe("help");
});

it.each([
  ["nothing", [], "--consumers is required"],
  ["none", ["--consumers", "0"], '--consumers must be a whole number from 1 to 100000000, not "0"'],
  ["too many", ["--consumers", "100000001"], "--consumers must be"],
  ["a fraction", ["--consumers", "1.5"], "--consumers must be"],
  ["a word", ["--consumers", "many"], 'not "many"'],
  ["an empty project", ["--consumers", "1", "--project", ""], "--project must not be empty"],
  ["a seed that is too large", ["--consumers", "1", "--seed", "4294967296"], "--seed must be"],
  ["an unknown option", ["--consumers", "1", "--fast"], "--fast"],
  ["a number without its option", ["1000"], "1000"],
  ["an option without its value", ["--consumers"], "--consumers"],
])("%s is refused with what is wrong", (_title, commandLine, message) => {
  expect(() => parseArguments(commandLine)).toThrow(UsageError);
  expect(() => parseArguments(commandLine)).toThrow(message);
});

it("everything that is wrong is named at once", () => {
  const commandLine = ["--consumers", "x", "--keys-per-consumer", "101", "--seed=-1"];
  expect(() => parseArguments(commandLine)).toThrow(
    /^--consumers must be .*\n--keys-per-consumer must be .*\n--seed must be /,
  );
});
