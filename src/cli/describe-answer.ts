import { renderTable } from "../lib/render-table.ts";

interface PageOf {
  total: number;
  page: number;
  limit: number;
}

interface ProjectShown {
  projectId: string;
  name: string;
  createdAt: string;
}

interface CredentialShown {
  credentialId: string;
  name: string | null;
  scopes: string[];
  createdAt: string;
  lastSix: string;
  previousValidUntil?: string | null;
}

/** The answers that the command line shows, by path. */
interface Answers {
  "/project/create": ProjectShown & { projectKey: string };
  "/project/list": PageOf & { projects: ProjectShown[] };
  "/project/delete": { projectId: string };
  "/project/credential/create": CredentialShown & { projectKey: string };
  "/project/credential/list": PageOf & { credentials: CredentialShown[] };
  "/project/credential/rotate": CredentialShown & { projectKey: string };
  "/project/credential/revoke": { credentialId: string };
}

const DESCRIPTIONS: { [Path in keyof Answers]: (answer: Answers[Path]) => string[] } = {
  "/project/create": ({ projectId, name, projectKey }) =>
    describeFields({ project: projectId, name, credential: projectKey }, SHOWN_ONCE),
  "/project/list": ({ projects, ...page }) => {
    const rows = projects.map(({ projectId, name, createdAt }) => [projectId, printable(name), createdAt]);
    return describePage(["project", "name", "made"], rows, page);
  },
  "/project/delete": ({ projectId }) => [`${projectId} is deleted. What it owned is removed in the next minutes.`],
  "/project/credential/create": (answer) => describeFields(credentialFields(answer), SHOWN_ONCE),
  "/project/credential/list": ({ credentials, ...page }) => {
    const rows = credentials.map((one) => [
      one.credentialId,
      printable(one.name ?? ""),
      one.scopes.join(", "),
      `…${one.lastSix}`,
      one.createdAt,
      one.previousValidUntil ?? "",
    ]);
    return describePage(["credential", "name", "scopes", "value", "made", "old value until"], rows, page);
  },
  "/project/credential/rotate": ({ previousValidUntil, ...answer }) =>
    describeFields(
      credentialFields(answer),
      SHOWN_ONCE,
      previousValidUntil ? `The old value works until ${previousValidUntil}.` : "The old value works no more.",
    ),
  "/project/credential/revoke": ({ credentialId }) => [`${credentialId} is revoked.`],
};

const SHOWN_ONCE = "The value is shown this once; the service does not keep it.";

/** An answer of the service, as lines for people. */
export function describeAnswer(path: string, answer: unknown): string[] {
  // The path has an answer of its own kind, to which the tests of the service hold it.
  const describe = DESCRIPTIONS[path as keyof Answers] as ((answer: unknown) => string[]) | undefined;
  return describe?.(answer) ?? [JSON.stringify(answer, undefined, 2)];
}

function credentialFields({ credentialId, name, scopes, projectKey }: Answers["/project/credential/create"]) {
  return { credential: credentialId, name: name ?? "", scopes: scopes.join(", "), value: projectKey };
}

function describeFields(fields: Record<string, string>, ...remarks: string[]): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd());
  return [...lines, "", ...remarks];
}

function describePage(headers: readonly string[], rows: string[][], { total, page, limit }: PageOf): string[] {
  const pages = Math.max(1, Math.ceil(total / limit));
  return [...renderTable(headers, rows), "", `${total} in all, page ${page} of ${pages}`];
}

/** A name as a terminal may show it: what would move the cursor or turn the text around is written as an escape. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}
