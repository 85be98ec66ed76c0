import type { TrafficEvent } from "../../src/journal/traffic-event.ts";

/** An event of traffic that has everything. */
export const TRAFFIC: TrafficEvent = {
  ...{ requestId: "req_1", at: 1_700_000_000_123, projectId: "project_1", method: "GET", endpoint: "/v1/things" },
  ...{ path: "/v1/things?q=a", statusCode: 200, latencyMs: 1.234, clientIp: "192.0.2.1", apiKey: "********abcdef" },
  ...{ apiId: "api_1", apiName: "Things", consumerId: "consumer_1", consumerName: "Zoë", country: "DE", region: "BE" },
  ...{ userAgent: 'curl "8" \\ \t', requestBody: '{"a":"🗝"}', responseBody: "\0\u2028" },
  ...{ requestHeaders: '{"accept":"*/*"}', responseHeaders: '{"x":["1","2"]}' },
};
