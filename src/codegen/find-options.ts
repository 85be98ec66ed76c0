import type { DescEnum, DescExtension, DescFile, Message } from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import type { EnumValueOptions, FieldOptions, MethodOptions } from "@bufbuild/protobuf/wkt";

/**
 * The options of ours, found in the files that are compiled: gen/ cannot be imported while it is written.
 */
export interface Options {
  http: GenExtension<MethodOptions, Message & { pattern: { case?: string; value?: unknown } }>;
  call: GenExtension<
    MethodOptions,
    Message & {
      scope: number;
      maxRequestBytes: number;
      answerTimeoutSeconds: number;
      follows: boolean;
      rowsBy: string;
    }
  >;
  json: GenExtension<
    FieldOptions,
    Message &
      Record<"omitWhenUnset" | "singleOrList" | "stringOrNumber" | "merge" | "inline" | "requiredByMethod", boolean> & {
        /** undefined: the files are of a version that had none. */
        omitWithout: string | undefined;
        neverNull: boolean | undefined;
        refusedWords: string[] | undefined;
      }
  >;
  eachAlone: GenExtension<FieldOptions, boolean>;
  /** undefined: the files are of a version that had none. */
  example: GenExtension<MethodOptions, string> | undefined;
  word: GenExtension<EnumValueOptions, string>;
  scopes: DescEnum;
}

/** Finds the options in the compiled files. Throws when one is missing that every version has. */
export function findOptions(files: readonly DescFile[]): Options {
  const find = (typeName: string) =>
    files.flatMap((file) => file.extensions).find((candidate) => candidate.typeName === typeName);
  const extension = <T extends DescExtension>(typeName: string): T => {
    const found = find(typeName);
    if (found === undefined) throw new Error(`option ${typeName} is not among the compiled files`);
    // The shape is that of options.proto and google/api/annotations.proto, written out in Options.
    return found as T;
  };
  const scopes = files.flatMap((file) => file.enums).find((candidate) => candidate.typeName === "keysvc.v1.Scope");
  if (scopes === undefined) throw new Error("keysvc.v1.Scope is not among the compiled files");
  return {
    http: extension("google.api.http"),
    call: extension("keysvc.v1.call"),
    json: extension("keysvc.v1.json"),
    eachAlone: extension("keysvc.v1.each_alone"),
    // As above.
    example: find("keysvc.v1.example") as Options["example"],
    word: extension("keysvc.v1.word"),
    scopes,
  };
}
