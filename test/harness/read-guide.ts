/** What a guide tells its reader to do, in its order. */
export type Step =
  /** A command, and what it prints where the guide shows it. */
  | { kind: "run"; line: number; command: string; expected: string | undefined }
  /** A command for another terminal, which goes on while the guide does; it replaces the one of the same name. */
  | { kind: "start"; line: number; name: string; command: string; expected: string | undefined }
  /** What something that was started has printed by now. */
  | { kind: "printed"; line: number; name: string; expected: string }
  /** A file to be written. */
  | { kind: "write"; line: number; name: string; text: string };

const OUTPUTS = ["json", "text", "csv"];

interface Block {
  line: number;
  language: string;
  words: string[];
  text: string;
}

/**
 * Reads the fenced blocks of a page. `sh` is run, `sh background <name>` is started, and `json`, `text` and `csv` are what
 * the command before them prints, or what `text from <name>` has printed by then. Any other language names its file:
 * `ts app.ts`. GitHub shows only the first word. Throws on a block that is none of these: nobody would look whether it is true.
 */
export function readGuide(page: string): Step[] {
  const steps: Step[] = [];
  let open: Extract<Step, { kind: "run" | "start" }> | undefined;
  for (const { line, language, words, text } of readBlocks(page)) {
    const [word, name] = words;
    if (language === "sh" && word === "background" && name !== undefined) {
      open = { kind: "start", line, name, command: text, expected: undefined };
      steps.push(open);
    } else if (language === "sh") {
      open = { kind: "run", line, command: text, expected: undefined };
      steps.push(open);
    } else if (OUTPUTS.includes(language) && word === "from" && name !== undefined) {
      steps.push({ kind: "printed", line, name, expected: text });
    } else if (OUTPUTS.includes(language) && open !== undefined) {
      open.expected = text;
      open = undefined;
    } else if (!OUTPUTS.includes(language) && word !== undefined) {
      steps.push({ kind: "write", line, name: word, text });
    } else {
      throw new Error(`line ${line}: nothing runs or prints this block of ${language || "no language"}`);
    }
  }
  return steps;
}

function readBlocks(page: string): Block[] {
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, info = "", text = ""] = match;
    const [language = "", ...words] = info.trim().split(/\s+/);
    return { line: page.slice(0, match.index).split("\n").length, language, words, text };
  });
}
