import { describe, expect, it } from "vitest";
import { AnalyticsServiceLogsRequestSchema } from "../../gen/keysvc/v1/analytics_pb.js";
import { KeyServiceListRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import { decodeJson } from "./decode-json.ts";

describe("an integer beyond its type is refused with the bounds of its field", () => {
  it("where only one of them is a rule", () => {
    const decodePage = (page: number) => decodeJson(KeyServiceListRequestSchema, { page });
    expect(decodePage(2 ** 31).errors).toEqual([{ field: "page", message: "must be between 1 and 2147483647" }]);
    expect(decodePage(2 ** 31 - 1)).toMatchObject({ errors: [], message: { page: 2 ** 31 - 1 } });
  });

  it("in a list", () => {
    const { errors } = decodeJson(AnalyticsServiceLogsRequestSchema, { filters: { statusCode: [2 ** 31] } });
    expect(errors).toEqual([{ field: "filters.statusCode[0]", message: "must be between 0 and 999" }]);
  });
});
