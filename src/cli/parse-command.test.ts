import { describe, expect, it } from "vitest";
import { parseCommand, UsageError } from "./parse-command.ts";

const parse = (line: string) => parseCommand(line === "" ? [] : line.split(" "));

describe("parseCommand", () => {
  it.each([
    ["help", { kind: "help" }],
    ["--help", { kind: "help" }],
    ["-h", { kind: "help" }],
    ["project list --help", { kind: "help" }],
    ["--version", { kind: "version" }],
    ["version", { kind: "version" }],
    ["start", { kind: "start" }],
    ["ready", { kind: "ready" }],
    ["start --help", { kind: "start" }],
  ])("understands %j", (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ["project create Acme", "/project/create", { name: "Acme" }, "operator"],
    ["project list", "/project/list", {}, "operator"],
    ["project list --page 2 --limit=50", "/project/list", { page: 2, limit: 50 }, "operator"],
    ["project delete project_1 --yes", "/project/delete", { projectId: "project_1" }, "operator"],
    ["project credential create", "/project/credential/create", {}, "project"],
    [
      "project credential create --name ci --scopes read,validate",
      "/project/credential/create",
      { name: "ci", scopes: ["read", "validate"] },
      "project",
    ],
    ["project credential list", "/project/credential/list", {}, "project"],
    [
      "project credential rotate credential_1",
      "/project/credential/rotate",
      { credentialId: "credential_1" },
      "project",
    ],
    [
      "project credential rotate credential_1 --grace-seconds 60",
      "/project/credential/rotate",
      { credentialId: "credential_1", graceSeconds: 60 },
      "project",
    ],
    [
      "project credential revoke credential_1",
      "/project/credential/revoke",
      { credentialId: "credential_1" },
      "project",
    ],
  ])("makes a call of %j", (line, path, body, credential) => {
    expect(parse(line)).toEqual({ kind: "call", call: { path, body, credential }, asJson: false });
    expect(parse(`${line} --json`)).toMatchObject({ asJson: true });
  });

  it("takes a name with spaces, and one that begins with a dash after --", () => {
    expect(parseCommand(["project", "create", "my project"])).toMatchObject({ call: { body: { name: "my project" } } });
    expect(parseCommand(["project", "create", "--", "-x"])).toMatchObject({ call: { body: { name: "-x" } } });
  });

  it.each([
    ["", "a command is missing"],
    ["projects", "there is no such command"],
    ["project", "there is no such command"],
    ["project credential", "there is no such command"],
    ["project credential delete credential_1", "there is no such command"],
    ["project create", "needs <name>"],
    ["project create my project", 'takes no "project"'],
    ["project list project_1", 'takes no "project_1"'],
    ["project delete --yes", "needs <projectId>"],
    ["project delete project_1", "--yes"],
    ["project list --yes", "has no option --yes"],
    ["project create Acme --scopes read", "has no option --scopes"],
    ["project credential rotate credential_1 --grace-seconds 1.5", "takes a whole number"],
    ["project list --page -1", "--page"],
    ["project list --colour", "--colour"],
    ["project credential create --name", "--name"],
  ])("refuses %j and says why", (line, message) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(message);
  });
});
