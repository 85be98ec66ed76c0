import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack, DurationSchema } from "@bufbuild/protobuf/wkt";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import { type Status, StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { FAULT_CODES, type Fault } from "../lib/fault.ts";

/** A detail of google.rpc, in the form in which Connect takes it. */
export interface FaultDetail<Desc extends DescMessage = DescMessage> {
  desc: Desc;
  value: MessageInitShape<Desc>;
}

/**
 * The details that go with a fault over gRPC and Connect, after google/rpc/error_details.proto: always ErrorInfo and
 * RequestInfo, BadRequest for fields, RetryInfo for Retry-After.
 */
export function faultDetails(fault: Fault, requestId: string): FaultDetail[] {
  const details: FaultDetail[] = [
    detail(ErrorInfoSchema, { reason: fault.reason, domain: "keysvc" }),
    detail(RequestInfoSchema, { requestId }),
  ];
  if (fault.fields.length > 0) {
    const fieldViolations = fault.fields.map(({ field, message }) => ({ field, description: message }));
    details.push(detail(BadRequestSchema, { fieldViolations }));
  }
  if (fault.retryAfterSeconds !== undefined) {
    const retryDelay = create(DurationSchema, { seconds: BigInt(fault.retryAfterSeconds) });
    details.push(detail(RetryInfoSchema, { retryDelay }));
  }
  return details;
}

function detail<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>): FaultDetail {
  return { desc, value };
}

/** The fault as google.rpc.Status, which gRPC carries in grpc-status-details-bin. */
export function faultStatus(fault: Fault, requestId: string): Status {
  return create(StatusSchema, {
    code: FAULT_CODES[fault.code],
    message: fault.detail,
    details: faultDetails(fault, requestId).map(({ desc, value }) => anyPack(desc, create(desc, value))),
  });
}
