// A guarded application of Hono, here on Node. In your project, import from "keysvc/client/hono".
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { type KeysvcVariables, keysvcGuard } from "../src/hono.ts";

const guard = keysvcGuard({ apiId: process.env.API_ID ?? "api_1", failureMode: "open" });

const app = new Hono<{ Variables: KeysvcVariables }>();
app.use(guard);
app.get("/hello/:name", (c) => {
  const { consumer } = c.get("keysvc.decision") ?? {};
  return c.text(`Hello ${c.req.param("name")} of ${consumer?.name ?? "nobody known"}\n`);
});

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" }, (address) =>
  console.log(JSON.stringify(address)),
);

process.once("SIGTERM", () => {
  // What was served last is recorded last: first the server ends, then the guard.
  server.close(() => guard.close());
});
