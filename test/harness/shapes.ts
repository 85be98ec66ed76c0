/** The fields that answers about consumers have, each sorted: no more, and none missing. */
export const SHAPES = {
  created: ["consumerId", "createdAt", "externalId", "name", "projectKey", "status", "tags"],
  updated: ["consumerId", "credits", "keysRestored", "name", "status"],
  deleted: ["consumerId", "deleted", "deletedAt", "keysAffected", "message", "permanent"],
  details: [
    ...["consumerId", "createdAt", "credits", "expiresAt", "externalId", "imageUrl", "metadata", "name", "planId"],
    ...["projectKey", "rateLimit", "status", "tags", "updatedAt", "webhookUrl"],
  ],
  credits: ["expiresAt", "limit", "overage", "overageUsed", "refill", "remaining", "shadowLimit", "used"],
  refill: ["carryover", "every", "nextRefillAt", "refillCredit", "refillPolicy"],
  keys: ["consumerId", "credits", "keys", "total"],
  listed: ["apiKeyCount", "consumerId", "createdAt", "credits", "imageUrl", "name", "planId", "status"],
};

export const fieldsOf = (value: object): string[] => Object.keys(value).sort();
