import type { CreditsSettings, RateLimit } from "../credits/settings.ts";

/** A plan as it is stored, in the collection `plans`: what is copied onto a consumer that it is attached to. */
export interface Plan {
  _id: string;
  projectId: string;
  name: string;
  /** null: it gives no credits. */
  credits: CreditsSettings | null;
  /** null: it gives none. */
  rateLimit: RateLimit | null;
  createdAt: Date;
  updatedAt: Date;
  /** Goes up with every change; a consumer keeps the one that it was given. */
  revision: number;
  /** While it is to be applied to all its holders: the revision of theirs below which it is, and since when; else null. */
  application: { revision: number; since: Date; credentialId: string | null } | null;
}
