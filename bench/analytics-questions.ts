/** What an answer says, by name. Shares of latencies (p50 and so on) are exact to a percent, all else to how it is rounded. */
export type Figures = Record<string, number>;

/** A question, and the aggregation of the raw events that answers the same. */
export interface Question {
  name: string;
  path: string;
  body: object;
  isFiltered: boolean;
  /** What comes after the $match of project and time. */
  pipeline: object[];
  ofAnswer: (answer: Answer) => Figures;
  ofRaw: (rows: readonly Row[]) => Figures;
}

interface Row {
  _id: unknown;
  count: number;
  errors: number;
  latency: number;
  least: number;
  most: number;
}

/** The parts of answers that are compared. */
export interface Answer {
  stats: { totalRequests: number; errorRate: number; avgLatencyMs: number };
  data: { timeBucket: string; requests: number; errors: number; avgLatencyMs: number; value: string; count: number }[];
  details: { avg: number; min: number; max: number; p50: number; p90: number; p95: number; p99: number };
}

const totals = {
  $group: {
    _id: null,
    count: { $sum: 1 },
    errors: { $sum: { $cond: [{ $gte: ["$statusCode", 400] }, 1, 0] } },
    latency: { $avg: "$latencyMs" },
  },
};
const stats = {
  path: "stats",
  pipeline: [totals],
  ofAnswer: ({ stats: { totalRequests, errorRate, avgLatencyMs } }: Answer) => ({
    ...{ count: totalRequests, errorRate, latency: avgLatencyMs },
  }),
  ofRaw: ([row]: readonly Row[]) => ({
    ...{
      count: row?.count ?? 0,
      errorRate: (100 * (row?.errors ?? 0)) / (row?.count ?? 1),
      latency: row?.latency ?? 0,
    },
  }),
};

const timeseries = {
  path: "timeseries",
  pipeline: [{ $group: { ...totals.$group, _id: { $dateTrunc: { date: "$at", unit: "day" } } } }],
  ofAnswer: ({ data }: Answer) =>
    ofPoints(
      data.map(({ timeBucket, requests, errors, avgLatencyMs }) => [timeBucket, requests, errors, avgLatencyMs]),
    ),
  ofRaw: (rows: readonly Row[]) =>
    // What the pipeline has grouped by.
    ofPoints(rows.map(({ _id, count, errors, latency }) => [(_id as Date).toISOString(), count, errors, latency])),
};

/** Days without events are left out: the raw aggregation has none. */
function ofPoints(points: readonly [time: string, count: number, errors: number, latency: number][]): Figures {
  const filled = points.filter(([, count]) => count > 0);
  return Object.fromEntries(
    filled.flatMap(([time, count, errors, latency]) => {
      const day = new Date(time).toISOString().slice(0, 10);
      return [
        [`${day} count`, count] as const,
        [`${day} errors`, errors] as const,
        [`${day} latency`, latency] as const,
      ];
    }),
  );
}

const breakdown = (field: "clientIp" | "endpoint") => ({
  path: "breakdown",
  pipeline: [
    { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    // Equal counts in the order of their values, as answers have them.
    { $sort: { count: -1, _id: 1 } },
    { $limit: 50 },
  ],
  ofAnswer: ({ data }: Answer) => Object.fromEntries(data.map(({ value, count }) => [value, count])),
  ofRaw: (rows: readonly Row[]) => Object.fromEntries(rows.map(({ _id, count }) => [String(_id), count])),
});

/** Raw latencies are grouped with those that differ from them by less than 1 %, because sorting all of them takes far longer. */
const GROUPS_A_DOUBLING = 72;
const latency = {
  path: "stats/details",
  pipeline: [
    {
      $group: {
        _id: { $floor: { $multiply: [GROUPS_A_DOUBLING, { $log: ["$latencyMs", 2] }] } },
        ...{ count: { $sum: 1 }, latency: { $avg: "$latencyMs" } },
        ...{ least: { $min: "$latencyMs" }, most: { $max: "$latencyMs" } },
      },
    },
    { $sort: { _id: 1 } },
  ],
  ofAnswer: ({ details: { avg, min, max, p50, p90, p95, p99 } }: Answer) => ({ avg, min, max, p50, p90, p95, p99 }),
  ofRaw(rows: readonly Row[]) {
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    const avg = rows.reduce((sum, row) => sum + row.count * row.latency, 0) / count;
    const quantile = (share: number) => {
      let passed = 0;
      const row = rows.find((one) => {
        passed += one.count;
        return passed >= share * count;
      });
      return row?.latency ?? 0;
    };
    const ends = { avg, min: rows[0]?.least ?? 0, max: rows.at(-1)?.most ?? 0 };
    return { ...ends, p50: quantile(0.5), p90: quantile(0.9), p95: quantile(0.95), p99: quantile(0.99) };
  },
};

const ofConsumer = { consumer: "consumer_7" };
const ofErrors = { statusCode: [404, 500] };
const ofEndpoint = { endpoint: "/favicon.ico", method: ["GET", "HEAD"] };

const unfiltered = (name: string, question: Omit<Question, "name" | "isFiltered" | "body">, body = {}): Question => ({
  ...question,
  ...{ name, body, isFiltered: false },
});
const filtered = (
  name: string,
  question: Omit<Question, "name" | "isFiltered" | "body">,
  { body, match }: { body: object; match: object },
): Question => ({ ...question, name, body, isFiltered: true, pipeline: [{ $match: match }, ...question.pipeline] });

export const QUESTIONS: readonly Question[] = [
  unfiltered("stats", stats),
  unfiltered("time series", timeseries),
  unfiltered("breakdown by address", breakdown("clientIp"), { dimension: "clientIp" }),
  unfiltered("breakdown by endpoint", breakdown("endpoint"), { dimension: "endpoint" }),
  unfiltered("latency", latency, { card: "latency" }),
  filtered("stats of a consumer", stats, { body: { filters: ofConsumer }, match: { consumerId: "consumer_7" } }),
  filtered("time series of errors", timeseries, {
    body: { filters: ofErrors },
    match: { statusCode: { $in: ofErrors.statusCode } },
  }),
  filtered("addresses of an endpoint", breakdown("clientIp"), {
    body: { dimension: "clientIp", filters: ofEndpoint },
    match: { endpoint: ofEndpoint.endpoint, method: { $in: ofEndpoint.method } },
  }),
];

/** Rounding of percentages to two decimals, and of latencies to a microsecond. */
const ROUNDED_MAX = 0.006;
const QUANTILE_ERROR_MAX = 0.02;

/** What two answers disagree about, for people; empty when they say the same. */
export function differences(answer: Figures, raw: Figures): string[] {
  const names = [...new Set([...Object.keys(answer), ...Object.keys(raw)])];
  return names.flatMap((name) => {
    const [one = Number.NaN, other = Number.NaN] = [answer[name], raw[name]];
    const errorMax = /^p\d\d$/.test(name) ? QUANTILE_ERROR_MAX * other : ROUNDED_MAX;
    return Math.abs(one - other) <= errorMax ? [] : [`${name}: ${one} and raw ${other}`];
  });
}
