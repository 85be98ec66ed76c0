import type { ConfigurationCase } from "./case.ts";

const PROJECT = { projectKey: "project-key", apiId: "api_1" };

/** Of which options a middleware is made, and of which not. */
export const CONFIGURATIONS: ConfigurationCase[] = [
  { name: "a project key and an API are enough", options: PROJECT, problems: null },
  { name: "without a project key there is no middleware", options: { apiId: "api_1" }, problems: ["projectKey"] },
  { name: "without an API there is no middleware", options: { projectKey: "project-key" }, problems: ["apiId"] },
  { name: "all problems are named together", options: { credits: -1 }, problems: ["projectKey", "apiId", "credits"] },
  {
    name: "the project key may come from the environment",
    options: { apiId: "api_1" },
    environment: { KEYSVC_PROJECT_KEY: "project-key" },
    problems: null,
  },
  {
    name: "the project key may come from the environment's older name",
    options: { apiId: "api_1" },
    environment: { KEYSVC_ROOT_KEY: "project-key" },
    problems: null,
  },
  {
    name: "both names in the environment are no fault: the newer wins",
    options: { apiId: "api_1" },
    environment: { KEYSVC_PROJECT_KEY: "project-key", KEYSVC_ROOT_KEY: "older" },
    problems: null,
  },
  {
    name: "rootKey is the older name of projectKey",
    options: { rootKey: "project-key", apiId: "api_1" },
    problems: null,
  },
  {
    name: "projectKey and rootKey together are a fault, also when they are the same",
    options: { ...PROJECT, rootKey: "project-key" },
    problems: ["rootKey"],
  },
  {
    name: "an option that is empty is as if it were not set: the environment has the project key",
    options: { projectKey: "", rootKey: "", apiId: "api_1" },
    environment: { KEYSVC_PROJECT_KEY: "project-key" },
    problems: null,
  },
  {
    name: "an empty project key is none",
    options: { projectKey: "", apiId: "api_1" },
    problems: ["projectKey"],
  },
  { name: "an empty rootKey beside projectKey is no fault", options: { ...PROJECT, rootKey: "" }, problems: null },
  {
    name: "a project key that cannot be one is a fault of its option",
    options: { projectKey: "project key", apiId: "api_1" },
    problems: ["projectKey"],
  },
  {
    name: "a project key that cannot be one is a fault of the older name, where it has that",
    options: { rootKey: "project key", apiId: "api_1" },
    problems: ["rootKey"],
  },
  ...["KEYSVC_PROJECT_KEY", "KEYSVC_ROOT_KEY"].map((name) => ({
    name: `a project key that cannot be one is a fault of the variable that it came from: ${name}`,
    options: { apiId: "api_1" },
    environment: { [name]: "project key" },
    problems: [name],
  })),
  { name: "negative credits are a fault", options: { ...PROJECT, credits: -1 }, problems: ["credits"] },
  { name: "credits of 0 are none", options: { ...PROJECT, credits: 0 }, problems: null },
  { name: "a negative timeout is a fault", options: { ...PROJECT, timeoutMs: -1 }, problems: ["timeoutMs"] },
  {
    name: "a header of an impossible name is a fault",
    options: { ...PROJECT, keyName: "X Key" },
    problems: ["keyName"],
  },
  {
    name: "a cookie of an impossible name is a fault",
    options: { ...PROJECT, keyLocation: "cookie", keyName: "a;b" },
    problems: ["keyName"],
  },
  {
    name: "a query parameter may have any name",
    options: { ...PROJECT, keyLocation: "query", keyName: "my key" },
    problems: null,
  },
  { name: "switched off, nothing is needed", options: { enabled: false }, problems: null },
];
