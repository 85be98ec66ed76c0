import { createHash, randomBytes } from "node:crypto";
import type { Answer, TestService } from "./service.ts";

/** A key's value as another service may have made it. */
export const legacyValue = () => `legacy-${randomBytes(12).toString("hex")}`;

export const sha256 = (value: string) => createHash("sha256").update(value).digest("hex");

/** Imports values for a consumer, a new one with 100 credits by default. */
export async function importValues(
  service: TestService,
  values: string[],
  consumerId?: string,
): Promise<{ consumerId: string; answer: Answer }> {
  const owner = consumerId ?? (await service.ok("/consumer/create", { credits: { limit: 100 } })).consumerId;
  const keys = values.map((value) => ({ sha256: sha256(value) }));
  return { consumerId: owner, answer: await service.call("/key/import", { consumerId: owner, keys }) };
}
