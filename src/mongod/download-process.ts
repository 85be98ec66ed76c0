// A program of its own (see download.ts): downloads a mongod into the folder argv[2], of version argv[3] if given, and
// prints its path as the last line. The library prints its progress to stdout, as nothing else can be told to it.
import { MongoBinary } from "mongodb-memory-server-core";

const [downloadDir, version] = process.argv.slice(2);
if (downloadDir === undefined) throw new Error("usage: download-process <folder> [version]");
try {
  const path = await MongoBinary.getPath({ downloadDir, ...(version === undefined ? {} : { version }) });
  process.stdout.write(`\npath ${path}\n`);
} catch (error) {
  process.stderr.write(
    `error: ${error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, " ") : String(error)}\n`,
  );
  process.exitCode = 1;
}
