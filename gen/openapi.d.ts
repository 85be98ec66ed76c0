// Generated from proto/keysvc/v1 by protoc-gen-keysvc. Do not edit.

/** A schema, or a reference to one. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: (string | null)[];
  "x-enumDescriptions"?: Record<string, string>;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean;
}

/** A body by its content type. */
export type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

/** A method on its path. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  requestBody: { required: boolean; content: Content };
  /** By status: the answer, or a reference to a problem. */
  responses: Record<string, { $ref?: string; description?: string; headers?: Record<string, object>; content?: Content }>;
}

/** The document. */
export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { post: Operation }>;
  components: {
    headers: Record<string, { description: string }>;
    responses: Record<string, { description: string; headers: Record<string, object> }>;
    schemas: Record<string, JsonSchema>;
  };
}

/** What openapi.yaml has. */
export declare const document: OpenApiDocument;
