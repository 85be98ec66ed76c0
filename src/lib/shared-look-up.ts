import { ShortMemory, type ShortMemoryOptions } from "./short-memory.ts";

/**
 * A look-up whose answer is good for a short time: callers who ask at once, or soon after, share one. A failure is not
 * remembered.
 */
export function shareLookUp<Answer>(
  lookUp: (...path: string[]) => Promise<Answer>,
  options: ShortMemoryOptions,
): typeof lookUp {
  const answers = new ShortMemory<Promise<Answer>>(options);
  return (...path) => {
    const key = path.join(" ");
    const remembered = answers.get(key);
    if (remembered !== undefined) return remembered;
    const sinceMs = options.monotonicMs();
    const answer = lookUp(...path);
    answers.set(key, answer, sinceMs);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
