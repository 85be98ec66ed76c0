import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { callRawGrpc } from "../harness/raw-grpc.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PORTS = [
  ["main", () => new URL(service.url).host, Code.InvalidArgument],
  ["gRPC", () => service.grpcAddress, Code.Internal],
] as const;

describe.each(PORTS)("on the %s port", (_name, address, codeOfInvalid) => {
  /** Validates with that deadline, and says how it ended and what was charged for it. */
  async function validate(timeout: string): Promise<{ status: number; used: number }> {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    const { validate: method } = KeyService.method;
    const message = toBinary(method.input, create(method.input, { key }));
    const path = `/${KeyService.typeName}/${method.name}`;
    const { status } = await callRawGrpc(address(), path, message, { "grpc-timeout": timeout });
    // Charged in turn: by then a charge that nobody was told of is made as well.
    await service.ok("/key/validate", { key });
    const { credits } = await service.ok("/consumer/details", { consumerId });
    return { status, used: credits.used - 1 };
  }

  it.each(["0m", "0S", "1n"])(
    "a call whose deadline of %s had passed before it began costs nothing",
    async (timeout) => {
      expect(await validate(timeout)).toEqual({ status: Code.DeadlineExceeded, used: 0 });
    },
  );

  it.each(["-1S", "999999999S", "1S, 1S", "1.5S", "S", "5"])(
    "a deadline of %s is none: the call is refused, and costs nothing",
    async (timeout) => {
      expect(await validate(timeout)).toEqual({ status: codeOfInvalid, used: 0 });
    },
  );

  it.each(["10S", "1H", "600H", "2592000S", "99999999H"])(
    "a call with the deadline %s is answered",
    async (timeout) => {
      expect(await validate(timeout)).toEqual({ status: 0, used: 1 });
    },
  );
});
