import { access, constants, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";

const CHECK = "data folder";
/** Of the group and of others. */
const FOREIGN_BITS = 0o077;
const SECRET_FILES = ["admin-key", "project-key", "secret", "mongod/password", "mongod/keyfile"];

/** Whether the data folder can be used, and by nobody else. */
export async function checkFolder(dataDir: string): Promise<Finding[]> {
  const folder = resolve(dataDir);
  const found = await stat(folder).catch(nothing);
  if (found === undefined) return [await checkParent(folder)];
  if (!found.isDirectory()) {
    return [problem(CHECK, `${folder} is no folder`, "Remove it, or set KEYSVC_DATA_DIR to another one.")];
  }
  if (!(await mayUse(folder))) {
    const remedy = "Give it to the user that runs the service (chown -R), or run the doctor as that user.";
    return [problem(CHECK, `${folder} cannot be read and written`, remedy)];
  }
  const findings = (await Promise.all(SECRET_FILES.map((name) => checkFile(join(folder, name))))).flat();
  if (findings.length === 0) return [ok(CHECK, folder)];
  return findings;
}

async function checkFile(path: string): Promise<Finding[]> {
  const found = await stat(path).catch(nothing);
  if (found === undefined) return [];
  if (!(await mayUse(path)))
    return [problem(CHECK, `${path} cannot be read`, "Give it to the user that runs the service.")];
  if ((found.mode & FOREIGN_BITS) === 0) return [];
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  return [warning(CHECK, `other users may read ${path} (mode ${mode})`, `Run: chmod 600 ${path}`)];
}

async function checkParent(folder: string): Promise<Finding> {
  let parent = dirname(folder);
  while ((await stat(parent).catch(nothing)) === undefined) parent = dirname(parent);
  if (await mayUse(parent)) return ok(CHECK, `${folder} is made at the first start`);
  return problem(CHECK, `${folder} is not there, and cannot be made in ${parent}`, "Make it, or set KEYSVC_DATA_DIR.");
}

async function mayUse(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

function nothing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
