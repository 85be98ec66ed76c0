import type { Latency, Totals } from "../segments/measure.ts";
import type { Detail, DetailQuery } from "./detail.ts";
import type { LogPage, LogQuery } from "./log-page.ts";
import type { Points } from "./measures.ts";
import type { Measure, Selection } from "./question.ts";
import type { Ranking } from "./ranking.ts";

/** What the worker is started with. */
export interface WorkerOptions {
  /** With its password: never to be shown. */
  mongodbUri: string;
}

/** What is asked of the worker. */
export type Request =
  /** Connect to the database, so that the first question does not wait for it. Nothing is answered. */
  | { kind: "connect" }
  | { kind: "measure"; selection: Selection; measure: Measure }
  | { kind: "page"; query: LogQuery }
  | { kind: "detail"; query: DetailQuery };

/** What each measure comes to. */
export interface MeasureValues {
  totals: Totals;
  series: Points;
  latency: Latency;
  /** For each dimension, in their order. */
  rankings: Ranking[];
}

export type Answer = MeasureValues[keyof MeasureValues] | LogPage | Detail | undefined;
