import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuditEntrySchema, AuditService } from "../../gen/keysvc/v1/audit_pb.js";
import type { Handlers } from "../lib/call.ts";
import { invalidRequest } from "../lib/fault.ts";
import { createCursor, readCursor } from "../secrets/cursor.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditStore } from "./store.ts";

export interface AuditServiceOptions {
  store: Pick<AuditStore, "list">;
  keyring: Keyring;
}

const PAGE_SIZE_DEFAULT = 50;

/** The record of who changed what in a project. */
export function auditService({ store, keyring }: AuditServiceOptions): Handlers<typeof AuditService> {
  return {
    async list({ targetId, cursor, pageSize = PAGE_SIZE_DEFAULT }, { caller: { projectId } }) {
      const query = ["/audit/list", projectId, targetId ?? null];
      const beforeId = cursor === undefined ? undefined : readCursor(keyring, query, cursor);
      if (cursor !== undefined && beforeId === undefined) {
        throw invalidRequest([{ field: "cursor", message: "is none of this list's" }]);
      }
      const { entries, hasMore } = await store.list({ projectId, targetId, beforeId, count: pageSize });
      const last = hasMore ? entries.at(-1) : undefined;
      return {
        entries: entries.map(toProtoEntry),
        ...(last && { nextCursor: createCursor(keyring, query, last._id) }),
      };
    },
  };
}

function toProtoEntry(entry: AuditEntry): MessageInitShape<typeof AuditEntrySchema> {
  return {
    at: timestampFromDate(entry.at),
    ...(entry.credentialId !== null && { credentialId: entry.credentialId }),
    action: entry.action,
    targetId: entry.targetId,
    // JSON.stringify wrote them.
    before: JSON.parse(entry.before) as JsonObject,
    after: JSON.parse(entry.after) as JsonObject,
  };
}
