import { extname } from "node:path";

/**
 * A program that stands beside a module, for a thread or a process of its own: TypeScript in the repository, JavaScript in
 * what is compiled.
 *
 * @param moduleUrl `import.meta.url`
 * @param name without an extension
 */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${extname(moduleUrl)}`, moduleUrl);
}
