// A guarded application of Fastify. In your project, import from "keysvc/client/fastify".
import fastify from "fastify";
import { keysvcGuard } from "../src/fastify.ts";

const app = fastify();
await app.register(keysvcGuard, {
  apiId: process.env.API_ID ?? "api_1",
  keyScheme: "raw", // X-API-Key
  onError: ({ operation, path, error }) => app.log.warn({ operation, path, error }),
});

app.get("/hello/:name", (request) => {
  const { name } = request.params as { name: string };
  return `Hello ${name} of ${request.keysvc?.decision?.consumer?.name}\n`;
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
console.log(JSON.stringify(app.server.address()));

// Closing the application sends the events that wait.
process.once("SIGTERM", () => app.close());
