import { ShortMemory, type ShortMemoryOptions } from "../lib/short-memory.ts";

export interface NameLookUpOptions extends ShortMemoryOptions {
  /** The names of those of these things that the project has, by their ids. */
  find: (projectId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** A name; null: the project has no such thing; a promise: it is being asked for, with others. */
type Remembered = string | null | Promise<ReadonlyMap<string, string>>;

/** Ids that are asked for next, and who waits for their names. */
interface Gathered extends PromiseWithResolvers<ReadonlyMap<string, string>> {
  ids: string[];
}

/** Names of things of projects, each good for a short time. Callers who ask for the same at once share the answer. */
export class NameLookUp {
  readonly #options: NameLookUpOptions;
  readonly #memory: ShortMemory<Remembered>;
  /** By project: what was asked for since a question is under way, to be asked together when it is answered. */
  readonly #next = new Map<string, Gathered | undefined>();

  constructor(options: NameLookUpOptions) {
    this.#options = options;
    this.#memory = new ShortMemory(options);
  }

  /** The names of those that the project has, by their ids. All that are not remembered are asked for together. */
  async find(projectId: string, ids: ReadonlySet<string>): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    const asked = new Map<string, Promise<ReadonlyMap<string, string>>>();
    const unknown: string[] = [];
    for (const id of ids) {
      const remembered = this.#memory.get(`${projectId} ${id}`);
      if (typeof remembered === "string") names.set(id, remembered);
      else if (remembered === undefined) unknown.push(id);
      else if (remembered !== null) asked.set(id, remembered);
    }
    if (unknown.length > 0) {
      const answer = this.#ask(projectId, unknown);
      for (const id of unknown) asked.set(id, answer);
    }
    // All at once: when two questions fail, nobody would wait for the second one yet, which ends the process.
    const answered = await Promise.all([...asked].map(async ([id, answer]) => [id, (await answer).get(id)] as const));
    for (const [id, name] of answered) {
      if (name !== undefined) names.set(id, name);
    }
    return names;
  }

  /** Of a project, one question is under way at a time: many callers who ask for one name each would cost as many. */
  #ask(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!this.#next.has(projectId)) {
      this.#next.set(projectId, undefined);
      return this.#send(projectId, ids);
    }
    const next = this.#next.get(projectId) ?? { ids: [], ...Promise.withResolvers<ReadonlyMap<string, string>>() };
    this.#next.set(projectId, next);
    next.ids.push(...ids);
    for (const id of ids) this.#memory.set(`${projectId} ${id}`, next.promise, this.#options.monotonicMs());
    return next.promise;
  }

  #send(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    // As of when they were asked for.
    const sinceMs = this.#options.monotonicMs();
    const answer = this.#options.find(projectId, ids);
    for (const id of ids) this.#memory.set(`${projectId} ${id}`, answer, sinceMs);
    answer
      .then(
        (found) => {
          // The answer itself is not kept: it has the names of all.
          for (const id of ids) this.#memory.set(`${projectId} ${id}`, found.get(id) ?? null, sinceMs);
        },
        () => {
          for (const id of ids) this.#memory.delete(`${projectId} ${id}`);
        },
      )
      .finally(() => this.#sendNext(projectId));
    return answer;
  }

  #sendNext(projectId: string): void {
    const next = this.#next.get(projectId);
    if (next === undefined) {
      this.#next.delete(projectId);
      return;
    }
    this.#next.set(projectId, undefined);
    this.#send(projectId, next.ids).then(next.resolve, next.reject);
  }
}
