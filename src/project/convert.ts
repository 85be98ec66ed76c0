import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Scope } from "../../gen/gateway.js";
import { Scope as ScopeProto } from "../../gen/keysvc/v1/options_pb.js";
import type { CredentialSchema, ProjectSchema } from "../../gen/keysvc/v1/project_pb.js";
import { type Credential, PROJECT_SCOPES, type Project, previousValidUntil } from "./project.ts";

const SCOPES: Record<Scope, ScopeProto> = {
  manage: ScopeProto.MANAGE,
  read: ScopeProto.READ,
  validate: ScopeProto.VALIDATE,
  ingest: ScopeProto.INGEST,
  operator: ScopeProto.OPERATOR,
};

/** The scopes of a request that a project credential can have. */
export function fromProtoScopes(scopes: readonly ScopeProto[]): Scope[] {
  return PROJECT_SCOPES.filter((scope) => scopes.includes(SCOPES[scope]));
}

/** A project as /project/list shows it. */
export function toProtoProject({ _id, name, createdAt }: Project): MessageInitShape<typeof ProjectSchema> {
  return { projectId: _id, name, createdAt: timestampFromDate(createdAt) };
}

/** A credential as the answers of its creation and rotation show it, without its value. */
export function toProtoCredential({ _id, name, scopes, createdAt, lastSix }: Credential) {
  return {
    credentialId: _id,
    ...(name !== null && { name }),
    scopes: scopes.map((scope) => SCOPES[scope]),
    createdAt: timestampFromDate(createdAt),
    lastSix,
  };
}

/** A credential at `nowMs`, as /project/credential/list shows it. */
export function toProtoListed(credential: Credential, nowMs: number): MessageInitShape<typeof CredentialSchema> {
  const validUntil = previousValidUntil(credential, nowMs);
  return {
    ...toProtoCredential(credential),
    ...(validUntil && { previousValidUntil: timestampFromDate(validUntil) }),
  };
}

/** A project as the audit log shows it. */
export function toAuditProject({ name }: Project): Record<string, unknown> {
  return { name };
}

/** A credential at `nowMs`, as the audit log shows it: of its values only the end of the present one. */
export function toAuditCredential(credential: Credential, nowMs: number): Record<string, unknown> {
  const { name, scopes, lastSix } = credential;
  return { name, scopes, lastSix, previousValidUntil: previousValidUntil(credential, nowMs)?.toISOString() ?? null };
}
