/** A question, and the aggregation of the raw events that answers the same. */
export interface Question {
  name: string;
  path: string;
  body: object;
  /** What comes after the $match of project and time. */
  pipeline: object[];
  isFiltered: boolean;
}

const totals = {
  $group: {
    _id: null,
    events: { $sum: 1 },
    errors: { $sum: { $cond: [{ $gte: ["$statusCode", 400] }, 1, 0] } },
    latency: { $avg: "$latencyMs" },
  },
};
const ranked = (field: string) => [
  { $group: { _id: `$${field}`, count: { $sum: 1 } } },
  { $sort: { count: -1 as const } },
  { $limit: 50 },
];
const daily = [{ $group: { ...totals.$group, _id: { $dateTrunc: { date: "$at", unit: "day" } } } }];

export const QUESTIONS: readonly Question[] = [
  { name: "stats", path: "stats", body: {}, pipeline: [totals], isFiltered: false },
  { name: "time series", path: "timeseries", body: {}, pipeline: daily, isFiltered: false },
  {
    ...{ name: "breakdown by address", path: "breakdown", body: { dimension: "clientIp" }, isFiltered: false },
    pipeline: ranked("clientIp"),
  },
  {
    ...{ name: "breakdown by endpoint", path: "breakdown", body: { dimension: "endpoint" }, isFiltered: false },
    pipeline: ranked("endpoint"),
  },
  {
    ...{ name: "latency", path: "stats/details", body: { card: "latency" }, isFiltered: false },
    pipeline: [{ $bucketAuto: { groupBy: "$latencyMs", buckets: 100 } }],
  },
  {
    ...{ name: "stats of a consumer", path: "stats", body: { filters: { consumer: "consumer_7" } }, isFiltered: true },
    pipeline: [{ $match: { consumerId: "consumer_7" } }, totals],
  },
  {
    ...{
      name: "time series of errors",
      path: "timeseries",
      body: { filters: { statusCode: [404, 500] } },
      isFiltered: true,
    },
    pipeline: [{ $match: { statusCode: { $in: [404, 500] } } }, ...daily],
  },
  {
    ...{ name: "addresses of an endpoint", path: "breakdown", isFiltered: true },
    body: { dimension: "clientIp", filters: { endpoint: "/favicon.ico", method: ["GET", "HEAD"] } },
    pipeline: [{ $match: { endpoint: "/favicon.ico", method: { $in: ["GET", "HEAD"] } } }, ...ranked("clientIp")],
  },
];
