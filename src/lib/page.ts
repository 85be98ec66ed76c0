/** Which page of a list. */
export interface Page {
  /** From 1. */
  page: number;
  /** Entries on a page. */
  limit: number;
  /** Entries before the page. */
  skip: number;
}

/** As a request that lists something has them. */
export interface PageRequest {
  page?: number | undefined;
  limit?: number | undefined;
}

/** The page that a request asks for, by default the first one of 25 entries. */
export function pageOf({ page = 1, limit = 25 }: PageRequest): Page {
  return { page, limit, skip: (page - 1) * limit };
}
