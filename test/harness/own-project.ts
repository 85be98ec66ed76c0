import { ADMIN_KEY, type Answer, type TestService } from "./service.ts";

/** A project of a test's own, and calls with its credential. */
export interface OwnProject {
  projectKey: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  ok(path: string, body: object): Promise<any>;
  call(path: string, body: object): Promise<Answer>;
  /** The id of its only credential. */
  credentialId(): Promise<string>;
}

export async function createProject(service: TestService): Promise<OwnProject> {
  const { projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  const ok: OwnProject["ok"] = (path, body) => service.ok(path, body, projectKey);
  return {
    projectKey,
    ok,
    call: (path, body) => service.call(path, body, projectKey),
    async credentialId() {
      const { credentials } = await ok("/project/credential/list", {});
      return credentials[0].credentialId;
    },
  };
}
