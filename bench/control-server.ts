import { fastify } from "fastify";
import { connectDatabase } from "../src/mongo/client.ts";

/**
 * What the service is compared with, in a process of its own: the same Fastify answers /key/validate from exactly one
 * majority findOneAndUpdate, found by the key's value, and writes nothing else. Its parent gets the port as a message.
 * Settings: BENCH_MONGODB_URI, BENCH_CREDENTIAL, and BENCH_HTTP_ONLY for an answer as long as the service's without any look
 * at the database, which shows what HTTP alone allows.
 */
interface ControlKey {
  /** The value of the key. */
  _id: string;
  remaining: number;
}

const BODY = {
  type: "object",
  required: ["key"],
  properties: { key: { type: "string" }, credits: { type: "integer", minimum: 0 } },
};
const ANSWER = { type: "object", properties: { valid: { type: "boolean" }, remaining: { type: "integer" } } };

const database = await connectDatabase(process.env.BENCH_MONGODB_URI ?? "", { giveUpHangingSockets: true });
const keys = database.client.db("control").collection<ControlKey>("keys");
const authorization = `Bearer ${process.env.BENCH_CREDENTIAL}`;

/** As the service answers for unlimited usage. */
const NAMES = { name: "consumer", externalId: null, planId: null, metadata: {}, tags: [] };
const IDS = { requestId: "req_01m7ybxcyrf3ffaze3hkvtr8wt", keyId: "key_01m7ybxck6m6d8y4hngbs8wt0h", apiId: null };
const CONSUMER = { consumerId: "consumer_01m7ybxcjmgrmavx6mc6xnpnx4", ...NAMES };
const HTTP_ONLY = { valid: true, code: "VALID", ...IDS, consumer: CONSUMER, credits: null, rateLimit: null };

const server = fastify();
if (process.env.BENCH_HTTP_ONLY) {
  server.addHook("onRequest", (request, reply, done) => {
    if (request.headers.authorization === authorization) done();
    else reply.code(401).send();
  });
  server.addHook("preHandler", (_request, reply) => void reply.send(JSON.stringify(HTTP_ONLY)));
}
server.post<{ Body: { key: string; credits?: number } }>(
  "/key/validate",
  { schema: { body: BODY, response: { 200: ANSWER } } },
  async (request, reply) => {
    if (request.headers.authorization !== authorization) return reply.code(401).send();
    const { key, credits = 1 } = request.body;
    // Charges once or not at all. Served by _id.
    const charged = await keys.findOneAndUpdate(
      { _id: key, remaining: { $gte: credits } },
      { $inc: { remaining: -credits } },
      { returnDocument: "after" },
    );
    return charged === null ? { valid: false } : { valid: true, remaining: charged.remaining };
  },
);
const { port } = new URL(await server.listen({ host: "127.0.0.1", port: 0 }));
process.send?.({ port: Number(port) });
// It is gone when its parent is gone, however that ends.
process.on("disconnect", () => process.exit(0));
