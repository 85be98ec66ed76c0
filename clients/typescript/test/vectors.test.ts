import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ConfigurationCase, ExpectedEvent, MiddlewareCase } from "../../../test/vectors/middleware/case.ts";
import { ConfigurationError } from "../src/index.ts";
import { Guard } from "../src/middleware/guard.ts";
import { APPLICATIONS } from "./applications.ts";
import { buildOptions, type Told } from "./build-options.ts";
import { startFakeService } from "./fake-service.ts";
import { sendRaw } from "./raw-request.ts";

const FILE = new URL("../../../test/vectors/middleware.json", import.meta.url);
const vectors: { cases: MiddlewareCase[]; configurations: ConfigurationCase[] } = JSON.parse(
  readFileSync(FILE, "utf8"),
);

afterEach(() => vi.unstubAllEnvs());

describe.each(Object.keys(APPLICATIONS))("the middleware of %s", (name) => {
  const cases = vectors.cases.filter(({ skip }) => skip?.[name] === undefined);
  it.each(cases)("$name", async (vector) => {
    const told: Told = { errors: [], kinds: [], text: "" };
    const fake = await startFakeService(vector.service);
    let ran = 0;
    const application = await APPLICATIONS[name]?.({
      options: {
        apiId: "api_1",
        ...buildOptions(vector.options, told),
        projectKey: "project-key-of-the-vectors",
        baseURL: fake.url,
      },
      handler: vector.handler ?? {},
      route: vector.request.route,
      onRun: () => ran++,
    });
    if (application === undefined) throw new Error(`no application ${name}`);
    try {
      const response = await sendRaw(application.port, vector.request);
      await application.close(() => fake.recover());
      const { expect: want } = vector;
      expect(ran, "times that the handler ran").toBe(want.handlerRan ? 1 : 0);
      expectResponse(response, want.response);
      // A question that was refused did not arrive.
      const asked = isRefused(vector) || want.validate === null ? [] : [withRoute(want.validate, application.template)];
      expect(fake.validations).toEqual(asked);
      expect(told.errors).toEqual(want.errors ?? []);
      if (want.errorKinds !== undefined) expect(told.kinds).toEqual(want.errorKinds);
      expectEvents(fake.events, want.event, application.template);
      for (const secret of secretsOf(vector)) expect(fake.ingested.join() + told.text).not.toContain(secret);
    } finally {
      await fake.close();
    }

    function withRoute(body: Record<string, unknown>, template: string | undefined): object {
      if (body.endpoint !== "<route>") return body;
      const path = vector.request.target.split("?")[0];
      return { ...body, endpoint: expect.toBeOneOf([template, path]) };
    }

    function expectEvents(events: Record<string, unknown>[], wanted: ExpectedEvent | null, template?: string): void {
      expect(events.length, "events").toBe(wanted === null ? 0 : 1);
      const [event = {}] = events;
      for (const [field, value] of Object.entries(withRoute({ ...wanted }, template))) {
        expectField(field, event[field], value);
      }
    }
  });
});

function isRefused({ service }: MiddlewareCase): boolean {
  return service !== undefined && "failure" in service && service.failure === "refused";
}

function expectField(field: string, got: unknown, wanted: unknown): void {
  if (wanted === null) expect(got ?? "", field).toBe("");
  else if (wanted === "<made>") expect(got, field).toMatch(/^req_[0-9a-z]{26}$/);
  else if (field.endsWith("Headers")) {
    const headers = JSON.parse(String(got));
    for (const [name, value] of Object.entries(wanted as object)) expect(headers[name] ?? null, name).toEqual(value);
  } else if (field === "responseBody" && typeof wanted === "object" && !("asymmetricMatch" in wanted))
    expect(JSON.parse(String(got)), field).toEqual(wanted);
  else expect(got, field).toEqual(wanted);
}

function expectResponse(
  got: { status: number; headers: Map<string, string[]>; body: string },
  want: MiddlewareCase["expect"]["response"],
): void {
  expect(got.status).toBe(want.status);
  for (const [name, value] of Object.entries(want.headers ?? {})) {
    expect(got.headers.get(name)?.join(", ") ?? null, name).toBe(value);
  }
  if (typeof want.body === "string") expect(got.body).toBe(want.body);
  else if (want.body !== undefined) expect(JSON.parse(got.body)).toMatchObject(want.body);
}

function secretsOf({ request, expect: { secrets } }: MiddlewareCase): string[] {
  const texts = [request.target, ...request.headers.flat(), request.body ?? ""];
  return secrets ?? texts.flatMap((text) => text.match(/sk_[^\s&;",]+/g) ?? []);
}

describe("a middleware", () => {
  it.each(vectors.configurations)("$name", ({ options, environment = {}, problems }) => {
    for (const name of ["PROJECT_KEY", "ROOT_KEY", "BASE_URL"]) {
      vi.stubEnv(`KEYSVC_${name}`, environment[`KEYSVC_${name}`]);
    }
    // What is missing here must be missed by the guard, not by the compiler.
    const made = () => new Guard(options as object as ConstructorParameters<typeof Guard>[0]);
    if (problems === null) return void expect(made).not.toThrow();
    const caught = catchError(made);
    expect(caught).toBeInstanceOf(ConfigurationError);
    if (caught instanceof ConfigurationError) expect(Object.keys(caught.problems).sort()).toEqual(problems.sort());
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
}
