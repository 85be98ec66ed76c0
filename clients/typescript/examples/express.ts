// A guarded application of Express. In your project, import from "keysvc/client/express".
import express, { type Request } from "express";
import { decisionOf, keysvcGuard } from "../src/express.ts";

const guard = keysvcGuard<Request>({
  apiId: process.env.API_ID ?? "api_1",
  excludePaths: ["/health"],
  // A report costs ten times as much as anything else.
  creditsResolver: ({ path }) => (path.startsWith("/reports") ? 10 : 1),
});

const app = express();
app.use(guard);
app.get("/health", (_request, response) => void response.send("ok\n"));
app.get("/hello/:name", (request, response) => {
  response.send(`Hello ${request.params.name} of ${decisionOf(request)?.consumer?.name}\n`);
});
const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () =>
  console.log(JSON.stringify(server.address())),
);

process.once("SIGTERM", () => {
  // What was served last is recorded last: first the server ends, then the guard.
  server.close(() => guard.close());
});
