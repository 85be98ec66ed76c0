import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe("credentials", () => {
  it.each([
    ["none", undefined],
    ["another scheme", "Basic abc"],
    ["a wrong one", "Bearer wrong-credential-0000"],
    ["an empty one", "Bearer "],
    ["two words", "Bearer a b"],
  ])("%s: 401 with WWW-Authenticate, before the body is looked at", async (_title, authorization) => {
    const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
    const response = await fetch(`${service.url}/key/validate`, { method: "POST", headers, body: "{" });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectProblem(answer, 401, "unauthenticated");
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("a project credential opens no method of the operator, and the operator's opens no project", async () => {
    expectProblem(await service.call("/project/create", { name: "x" }), 403, "permission_denied");
    expectProblem(await service.call("/consumer/create", {}, ADMIN_KEY), 403, "permission_denied");
  });

  it("one project sees nothing of another", async () => {
    const { projectKey } = await service.ok("/project/create", { name: "other" }, ADMIN_KEY);
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
    const { apiId } = await service.ok("/api/create", { name: "mine" });
    expectProblem(await service.call("/consumer/details", { consumerId }, projectKey), 404, "not_found");
    expectProblem(await service.call("/key/create", { consumerId }, projectKey), 404, "not_found");
    const own = await service.ok("/consumer/create", {}, projectKey);
    expectProblem(
      await service.call("/key/create", { consumerId: own.consumerId, allowedApis: [apiId] }, projectKey),
      404,
      "not_found",
    );
    expect(await service.ok("/key/validate", { key }, projectKey)).toMatchObject({ code: "NOT_FOUND", consumer: null });
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(0);
  });

  it("consumer responses repeat the credential of the caller", async () => {
    const { projectKey } = await service.ok("/project/create", { name: "third" }, ADMIN_KEY);
    expect((await service.ok("/consumer/create", {}, projectKey)).projectKey).toBe(projectKey);
  });
});
