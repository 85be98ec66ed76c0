import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ChannelCredentials, Client } from "@grpc/grpc-js";
import { services } from "../../gen/gateway.js";
import {
  Health,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";

export interface HealthQuestion {
  /** host:port */
  address: string;
  isSecure: boolean;
  timeoutMs: number;
}

/** Whether a gRPC port takes our calls; undefined: whoever listens there does not know our services. Never rejects. */
export async function askHealth({ address, isSecure, timeoutMs }: HealthQuestion): Promise<boolean | undefined> {
  const client = new Client(address, isSecure ? trustingCredentials() : ChannelCredentials.createInsecure());
  const { check } = Health.method;
  // Every gRPC server may have health; a service by our name, no other has.
  const request = create(check.input, { service: services[0]?.typeName ?? "" });
  const answer = await new Promise<HealthCheckResponse | undefined>((resolve) => {
    client.makeUnaryRequest(
      `/${Health.typeName}/${check.name}`,
      (message) => Buffer.from(toBinary(check.input, message)),
      (bytes) => fromBinary(check.output, bytes),
      request,
      { deadline: Date.now() + timeoutMs },
      (_error, response) => resolve(response),
    );
  });
  client.close();
  return answer && answer.status === Status.SERVING;
}

/** Nothing is told to whoever answers, so that its certificate may be any. */
function trustingCredentials(): ChannelCredentials {
  return ChannelCredentials.createSsl(null, null, null, { rejectUnauthorized: false });
}
