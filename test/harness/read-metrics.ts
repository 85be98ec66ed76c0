/** The samples of a text of metrics, by name and labels as they are written: `name{label="value"}`. */
export type Samples = ReadonlyMap<string, number>;

/** Reads GET /metrics of a service. Throws unless the answer is 200. */
export async function readMetrics(url: string, headers: Record<string, string> = {}): Promise<Samples> {
  const response = await fetch(`${url}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics: ${response.status} ${text}`);
  return parseMetrics(text);
}

/** Samples of the text format of Prometheus, without comments. */
export function parseMetrics(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** How much each sample with one of the names has grown; those that have not are left out. */
export function growth(before: Samples, after: Samples, names: RegExp): Record<string, number> {
  const grown = [...after].flatMap(([name, value]): [string, number][] => {
    const difference = value - (before.get(name) ?? 0);
    return names.test(name) && difference !== 0 ? [[name, difference]] : [];
  });
  return Object.fromEntries(grown);
}
