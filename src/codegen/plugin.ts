import { createEcmaScriptPlugin, type Schema } from "@bufbuild/protoplugin";
import { stringify } from "yaml";
import { gatewayDeclarations, gatewayTable } from "./gateway-table.ts";
import { findOptions, readJsonMapping } from "./json-mapping.ts";
import { openApiDocument } from "./openapi.ts";

/** The package whose services the gateway serves. */
const PACKAGE = "keysvc.v1";

/**
 * The buf plugin that turns the proto files into gateway.js (paths, scopes, limits and the JSON mapping, as data) and
 * openapi.yaml.
 */
export const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-keysvc",
  version: "v1",
  generateTs: generate,
  // All files are plain text of our own making; without these two, the TypeScript would be transpiled.
  generateJs: generate,
  generateDts: () => {},
});

function generate(schema: Schema): void {
  const options = findOptions(schema.allFiles);
  // By name: the order in which buf hands files over depends on their imports.
  const files = schema.files
    .filter((file) => file.proto.package === PACKAGE)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const mapping = readJsonMapping(files, options);
  const write = (name: string, text: string) => schema.generateFile(name).print(text.trimEnd());
  write("gateway.js", gatewayTable(mapping));
  write("gateway.d.ts", gatewayDeclarations());
  write("openapi.yaml", stringify(openApiDocument(mapping), { lineWidth: 120, aliasDuplicateObjects: false }));
}
