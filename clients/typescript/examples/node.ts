// A guarded server of node:http. In your project, import from "keysvc/client/node".
import { createServer } from "node:http";
import { decisionOf, keysvcGuard } from "../src/node.ts";

const guard = keysvcGuard({ apiId: process.env.API_ID ?? "api_1" });

const server = createServer(
  guard.handler((request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(`Hello ${decisionOf(request)?.consumer?.name ?? "nobody"}\n`);
  }),
);
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => console.log(JSON.stringify(server.address())));

process.once("SIGTERM", () => {
  // What was served last is recorded last: first the server ends, then the guard.
  server.close(() => guard.close());
});
