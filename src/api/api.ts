/** An API of a project, as it is stored, in the collection `apis`. */
export interface Api {
  /** Carries the time of creation, so that APIs sorted by id are sorted by age. */
  _id: string;
  projectId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
}

/** An API as the audit log shows it. */
export function toAudit({ name }: Api): Record<string, unknown> {
  return { name };
}
