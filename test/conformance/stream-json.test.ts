import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_KEY } from "../harness/service.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/* What the JSON paths alone have: the choice by Accept, and the forms of rows. */

const LOGS = "/analytics/logs";
const EXPORT = "/analytics/logs/export";
const TAIL = "/analytics/logs/tail";
const REQUEST = { source: "api_traffic" };

let service: StreamService;
/** A service whose methods are not built. */
let bare: StreamService;
beforeAll(async () => {
  const twoRows = async () => {
    return (async function* () {
      yield { row: { requestId: "req_1", path: '=cmd|"x",1', tsUnix: -5n } };
      yield { row: { requestId: "req_2" } };
    })();
  };
  const oneRowThenFault = async () => {
    return (async function* () {
      yield { row: { requestId: "req_1" } };
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error("broken");
    })();
  };
  service = await startStreamService({
    logs: async () => ({ total: 7n, rows: [{ requestId: "req_of_the_page" }] }),
    logsExport: (request) => (request.apiId === "api_broken" ? oneRowThenFault() : twoRows()),
    logsTail: twoRows,
  });
  bare = await startStreamService({});
});
afterAll(async () => {
  await service.stop();
  await bare.stop();
});

interface Options {
  accept?: string;
  body?: object;
  credential?: string;
  url?: string;
}

async function post(path: string, { accept, body = REQUEST, credential = PROJECT_KEY, url }: Options = {}) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
  // fetch says */* where nothing is said.
  const answer = await fetch(`${url ?? service.url}${path}`, {
    method: "POST",
    headers: { ...headers, ...(accept !== undefined && { accept }) },
    body: JSON.stringify(body),
  });
  const type = answer.headers.get("content-type");
  return { status: answer.status, type, headers: answer.headers, text: await answer.text() };
}

const EVENTS = "text/event-stream";
const LINES = "application/x-ndjson";
const CSV = "text/csv; charset=utf-8; header=present";
const PAGE = "application/json; charset=utf-8";
const PROBLEM = "application/problem+json; charset=utf-8";

describe("Accept", () => {
  it.each<[path: string, accept: string | undefined, status: number, type: string]>([
    [TAIL, undefined, 200, EVENTS],
    [TAIL, "application/json", 200, EVENTS],
    [TAIL, LINES, 200, LINES],
    [TAIL, "text/csv", 200, CSV],
    [EXPORT, undefined, 200, LINES],
    [EXPORT, "*/*", 200, LINES],
    [EXPORT, "application/json", 200, LINES],
    [EXPORT, "application/json, text/plain, */*", 200, LINES],
    [EXPORT, EVENTS, 200, EVENTS],
    [EXPORT, "text/*", 200, CSV],
    [EXPORT, "text/csv;q=0.5, application/x-ndjson;q=0.4", 200, CSV],
    [EXPORT, "text/html", 406, PROBLEM],
    [EXPORT, "*/*;q=0", 406, PROBLEM],
    [LOGS, undefined, 200, PAGE],
    [LOGS, "application/json", 200, PAGE],
    [LOGS, "application/json, text/csv", 200, PAGE],
    [LOGS, "text/csv", 200, CSV],
    [LOGS, "application/json;q=0.5, application/x-ndjson", 200, LINES],
    [LOGS, EVENTS, 406, PROBLEM],
  ])("on %s, %s is %d and %s", async (path, accept, status, type) => {
    expect(await post(path, { ...(accept !== undefined && { accept }) })).toMatchObject({ status, type });
  });

  it("that cannot be met names what is there", async () => {
    const { text, headers } = await post(EXPORT, { accept: "text/html" });
    expect(JSON.parse(text)).toMatchObject({ code: "invalid_argument", type: "urn:keysvc:problem:not-acceptable" });
    expect(JSON.parse(text).detail).toContain("application/x-ndjson, text/csv, text/event-stream");
    expect(headers.get("x-request-id")).toBe(JSON.parse(text).requestId);
  });

  it("is not looked at for strangers, nor where there is only JSON", async () => {
    expect(await post(EXPORT, { accept: "text/html", credential: "nobody" })).toMatchObject({ status: 401 });
    expect(await post("/analytics/stats", { accept: "text/html" })).toMatchObject({ status: 501 });
  });
});

describe("/analytics/logs", () => {
  it("gives a page as JSON, and all rows as NDJSON and CSV", async () => {
    expect(JSON.parse((await post(LOGS)).text)).toMatchObject({ total: 7, rows: [{ requestId: "req_of_the_page" }] });
    const lines = (await post(LOGS, { accept: LINES })).text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).requestId)).toEqual(["req_1", "req_2"]);
    expect((await post(LOGS, { accept: "text/csv" })).text).toMatch(/^requestId,.*\r\nreq_1,.*\r\nreq_2,.*\r\n$/s);
  });

  it("knows no pages where it gives all rows", async () => {
    const body = { ...REQUEST, pageSize: 5, cursor: "x" };
    expect(await post(LOGS, { body })).toMatchObject({ status: 200 });
    const { status, text } = await post(LOGS, { body, accept: "text/csv" });
    expect(status).toBe(400);
    expect(JSON.parse(text).errors).toEqual([
      { field: "pageSize", message: "unknown field" },
      { field: "cursor", message: "unknown field" },
    ]);
  });
});

describe("rows", () => {
  it("are the message in the streamed message's only field, written as everywhere", async () => {
    const [first = ""] = (await post(EXPORT)).text.split("\n");
    expect(JSON.parse(first)).toMatchObject({ requestId: "req_1", tsUnix: -5, latencyMs: 0, country: "" });
    expect((await post(TAIL)).text).toMatch(
      /^data: \{"requestId":"req_1",.*\}\n\ndata: .*\n\nevent: end\ndata: \{\}\n\n$/s,
    );
  });

  it("in CSV are a file that a spreadsheet can open without harm", async () => {
    const { text, headers } = await post(EXPORT, { accept: "text/csv" });
    expect(headers.get("content-disposition")).toBe('attachment; filename="analytics-logs-export.csv"');
    expect(text.split("\r\n")[1]).toBe(`req_1,,-5,,,"'=cmd|""x"",1",0,0,,,,,,,,,,,,,`);
  });

  it("are kept by no cache, and no proxy gathers events", async () => {
    const { headers } = await post(TAIL);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("x-request-id")).toMatch(/^req_\w+$/);
  });
});

describe.each([EXPORT, TAIL])("%s", (path) => {
  it.each(["GET", "HEAD", "PUT"])("is not served to %s", async (method) => {
    const answer = await fetch(`${service.url}${path}`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_\w+$/);
  });

  it("is 501 while it is not built, whatever is accepted", async () => {
    for (const accept of [EVENTS, LINES, "text/csv"]) {
      expect(await post(path, { accept, url: bare.url })).toMatchObject({ status: 501, type: PROBLEM });
    }
  });

  it("is refused with a problem, whatever is accepted", async () => {
    for (const accept of [EVENTS, LINES, "text/csv"]) {
      const { status, type, text } = await post(path, { accept, body: {} });
      expect({ status, type }).toEqual({ status: 400, type: PROBLEM });
      expect(JSON.parse(text).errors).toMatchObject([{ field: "source" }]);
    }
  });
});

describe("a fault between rows", () => {
  const broken = { ...REQUEST, apiId: "api_broken" };

  it("is an event of server-sent events", async () => {
    const { text } = await post(EXPORT, { accept: EVENTS, body: broken });
    const [row, error = ""] = text.split("\n\n");
    expect(row).toMatch(/^data: \{"requestId":"req_1"/);
    expect(JSON.parse(error.replace("event: error\ndata: ", ""))).toMatchObject({ status: 500, code: "internal" });
    expect(text).not.toContain("event: end");
  });

  it("resets the connection of HTTP/1.0, where an end would be a good end", async () => {
    const socket = connect(service.port, "127.0.0.1");
    const body = JSON.stringify(broken);
    socket.write(
      [
        `POST ${EXPORT} HTTP/1.0`,
        `Authorization: Bearer ${PROJECT_KEY}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "",
        body,
      ].join("\r\n"),
    );
    const end = await new Promise((resolve) => {
      socket.on("error", (error) => resolve(Reflect.get(error, "code")));
      socket.on("end", () => resolve("a good end"));
      socket.resume();
    });
    expect(end).toBe("ECONNRESET");
  });

  it("resets the stream of HTTP/2, and leaves the connection to others", async () => {
    const session = connectHttp2(service.url);
    const headers = { ":method": "POST", ":path": EXPORT, "content-type": "application/json" };
    const stream = session.request({ ...headers, authorization: `Bearer ${PROJECT_KEY}` });
    stream.on("error", () => undefined).resume();
    stream.end(JSON.stringify(broken));
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    const other = session.request({ ":path": "/healthz" });
    other.resume();
    expect(await new Promise((resolve) => other.on("response", (got) => resolve(got[":status"])))).toBe(200);
    session.close();
  });
});
