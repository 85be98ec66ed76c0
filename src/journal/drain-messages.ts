/** What the worker is started with. */
export interface DrainWorkerOptions {
  /** With its password: never to be shown. */
  mongodbUri: string;
}

/** What the worker tells: a failure, for the log. */
export interface DrainFailure {
  failure: string;
}
