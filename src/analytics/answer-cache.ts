import { RecentMap } from "../lib/recent-map.ts";

/** An answer, and when it was made, on a clock that only goes forward. */
export interface Aged<Answer> {
  answer: Answer;
  sinceMs: number;
}

/** Answers that are kept. */
const ANSWERS_MAX = 2_000;

/** Answers to questions whose windows end at the same step: those who ask at once, or later until the next step, share one. */
export class AnswerCache {
  readonly #monotonicMs: () => number;
  readonly #answers = new RecentMap<string, Promise<Aged<unknown>>>(ANSWERS_MAX);

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** @param key the question with its window, and nothing else has the same; a failure is not kept */
  get<Answer>(key: string, ask: () => Promise<Answer>): Promise<Aged<Answer>> {
    // What was put there under the key was asked by the same question.
    const known = this.#answers.get(key) as Promise<Aged<Answer>> | undefined;
    if (known !== undefined) return known;
    const sinceMs = this.#monotonicMs();
    const answer = ask().then((answer) => ({ answer, sinceMs }));
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  /** How many seconds ago an answer was made. */
  ageSeconds({ sinceMs }: Aged<unknown>): number {
    return Math.floor((this.#monotonicMs() - sinceMs) / 1_000);
  }
}
