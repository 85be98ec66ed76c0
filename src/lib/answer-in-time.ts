import { databaseUnavailable } from "./fault.ts";

/**
 * Throws DATABASE_UNAVAILABLE when there is no answer in time. What is under way goes on, and its outcome is not known: the
 * caller is told so.
 */
export async function answerInTime<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(databaseUnavailable()), timeoutMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
