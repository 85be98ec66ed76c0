import { Fault } from "../lib/fault.ts";
import { ANY_API } from "./key.ts";

/** Unknown APIs that an error names. */
const NAMED_MAX = 10;

/** Which of these ids are no APIs of the project. */
export type FindUnknownApis = (projectId: string, apiIds: readonly string[]) => Promise<string[]>;

/**
 * Throws NOT_FOUND when keys are to be allowed APIs that the project does not have.
 *
 * @param lists what each key is to be allowed, and the path to it in the request, such as `keys[3].`
 */
export async function checkApis(
  projectId: string,
  lists: readonly { path: string; allowedApis?: readonly string[] }[],
  findUnknownApis: FindUnknownApis,
): Promise<void> {
  const named = new Set(lists.flatMap(({ allowedApis = [] }) => allowedApis));
  named.delete(ANY_API);
  const unknown = named.size === 0 ? [] : await findUnknownApis(projectId, [...named]);
  if (unknown.length === 0) return;
  const isUnknown = new Set(unknown);
  const first = lists.find(({ allowedApis = [] }) => allowedApis.some((apiId) => isUnknown.has(apiId)));
  throw new Fault(
    "NOT_FOUND",
    `${first?.path ?? ""}allowedApis: there is no API ${unknown.slice(0, NAMED_MAX).join(", ")}`,
  );
}
