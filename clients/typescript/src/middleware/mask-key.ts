/** What stands for a key of which nothing is shown. */
export const HIDDEN_KEY = "********";
const SHOWN_CHARACTERS = 6;

/** What is recorded of a key: its last six characters, nothing of one of fewer than 18. The service masks likewise. */
export function maskKey(key: string): string {
  return key.length < 3 * SHOWN_CHARACTERS ? HIDDEN_KEY : HIDDEN_KEY + key.slice(-SHOWN_CHARACTERS);
}
