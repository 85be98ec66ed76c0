import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ApiSchema, ApiServiceDetailsResponseSchema } from "../../gen/keysvc/v1/api_pb.js";
import type { Api } from "./api.ts";

/** An API as every answer shows it. The messages have the same fields. */
type ApiShown = MessageInitShape<typeof ApiSchema> & MessageInitShape<typeof ApiServiceDetailsResponseSchema>;

/** @param keyCounts how many keys may call it, by its id */
export function toProtoApi(api: Api, keyCounts: ReadonlyMap<string, number>): Omit<ApiShown, "$typeName"> {
  return {
    apiId: api._id,
    name: api.name,
    createdAt: timestampFromDate(api.createdAt),
    updatedAt: timestampFromDate(api.updatedAt),
    keyCount: BigInt(keyCounts.get(api._id) ?? 0),
  };
}
