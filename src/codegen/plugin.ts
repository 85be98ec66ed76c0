import { createEcmaScriptPlugin, type Schema } from "@bufbuild/protoplugin";
import { stringify } from "yaml";
import { clientApi } from "./client-api.ts";
import { findOptions } from "./find-options.ts";
import { gatewayDeclarations, gatewayTable } from "./gateway-table.ts";
import { type JsonMapping, readJsonMapping } from "./json-mapping.ts";
import { openApiDocument } from "./openapi.ts";
import { openApiDeclarations, openApiModule } from "./openapi-module.ts";

/** The package whose services the gateway serves. */
const PACKAGE = "keysvc.v1";

/**
 * The buf plugin that turns the proto files into gateway.js (paths, scopes, limits and the JSON mapping, as data) and
 * the OpenAPI document, for people as openapi.yaml, for the service as openapi.js.
 */
export const plugin = textPlugin("protoc-gen-keysvc", (mapping) => {
  const document = openApiDocument(mapping);
  return {
    "gateway.js": gatewayTable(mapping),
    "gateway.d.ts": gatewayDeclarations(),
    "openapi.yaml": stringify(document, { lineWidth: 120, aliasDuplicateObjects: false }),
    "openapi.js": openApiModule(document),
    "openapi.d.ts": openApiDeclarations(),
  };
});

/** The buf plugin that writes the types and the table of methods of the TypeScript client. */
export const clientPlugin = textPlugin("protoc-gen-keysvc-client", (mapping) => ({ "api.ts": clientApi(mapping) }));

/** A plugin that writes texts, by file name. */
function textPlugin(name: string, texts: (mapping: JsonMapping) => Record<string, string>) {
  const generate = (schema: Schema) => {
    const options = findOptions(schema.allFiles);
    // By name: the order in which buf hands files over depends on their imports.
    const files = schema.files
      .filter((file) => file.proto.package === PACKAGE)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [file, text] of Object.entries(texts(readJsonMapping(files, options))))
      schema.generateFile(file).print(text.trimEnd());
  };
  return createEcmaScriptPlugin({
    name,
    version: "v1",
    generateTs: generate,
    // All files are plain text of our own making; without these two, the TypeScript would be transpiled.
    generateJs: generate,
    generateDts: () => {},
  });
}
