/** How something is. A `problem` keeps the service from working, or will; a `warning` should be looked at. */
export type State = "ok" | "warning" | "problem";

/** What was found about one thing. */
export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  state: State;
  /** What was found, in one sentence. Never a secret. */
  message: string;
  /** How to mend it, in one sentence; empty when there is nothing to mend. */
  remedy: string;
}

export const ok = (check: string, message: string): Finding => ({ check, state: "ok", message, remedy: "" });

export const warning = (check: string, message: string, remedy: string): Finding => ({
  ...{ check, state: "warning", message, remedy },
});

export const problem = (check: string, message: string, remedy: string): Finding => ({
  ...{ check, state: "problem", message, remedy },
});

/** Does a check; one that fails itself is a problem with what it says. */
export async function findingsOf(
  check: string,
  remedy: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [problem(check, message.split("\n", 1)[0] ?? message, remedy)];
  }
}
