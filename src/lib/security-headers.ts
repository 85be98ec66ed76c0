/**
 * Headers of every answer: it is kept nowhere, because keys and credentials are shown once; it is what its content type
 * says; and whatever a browser makes of it may load nothing and be framed by nobody. A page says otherwise for itself.
 */
export const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
