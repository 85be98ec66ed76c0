import { create } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, it } from "vitest";
import { printProto2 } from "./print-proto2.ts";

it("printProto2 prints messages, enums, oneofs, extensions and their ranges, line by line", () => {
  const file = create(FileDescriptorProtoSchema, {
    package: "p.v1",
    dependency: ["google/protobuf/descriptor.proto"],
    extension: [
      {
        name: "rules",
        number: 1_159,
        label: Label.OPTIONAL,
        type: Type.MESSAGE,
        typeName: ".p.v1.Rules",
        extendee: ".google.protobuf.FieldOptions",
      },
    ],
    messageType: [
      {
        name: "Rules",
        field: [
          { name: "ids", number: 1, label: Label.REPEATED, type: Type.STRING },
          { name: "first", number: 2, label: Label.OPTIONAL, type: Type.INT64, oneofIndex: 0 },
          { name: "must", number: 3, label: Label.REQUIRED, type: Type.BOOL },
          { name: "second", number: 4, label: Label.OPTIONAL, type: Type.ENUM, typeName: ".p.v1.Kind", oneofIndex: 0 },
          { name: "third", number: 5, label: Label.OPTIONAL, type: Type.DOUBLE, oneofIndex: 1 },
        ],
        oneofDecl: [{ name: "one" }, { name: "two" }],
        extensionRange: [
          { start: 1_000, end: 2_000 },
          { start: 5_000, end: 0x20000000 },
        ],
      },
    ],
    enumType: [
      {
        name: "Kind",
        value: [
          { name: "KIND_UNSPECIFIED", number: 0 },
          { name: "KIND_BELOW", number: -1 },
        ],
      },
    ],
  });
  expect(printProto2(file).split("\n")).toEqual([
    'syntax = "proto2";',
    "package p.v1;",
    'import "google/protobuf/descriptor.proto";',
    "extend .google.protobuf.FieldOptions {",
    "optional .p.v1.Rules rules = 1159;",
    "}",
    "message Rules {",
    "repeated string ids = 1;",
    "required bool must = 3;",
    "oneof one {",
    "int64 first = 2;",
    ".p.v1.Kind second = 4;",
    "}",
    "oneof two {",
    "double third = 5;",
    "}",
    "extensions 1000 to 1999;",
    "extensions 5000 to max;",
    "}",
    "enum Kind {",
    "KIND_UNSPECIFIED = 0;",
    "KIND_BELOW = -1;",
    "}",
    "",
  ]);
});

it("protovalidate's file has nothing of what printProto2 leaves out: maps, groups, nested types and services", () => {
  const { messageType, service } = file_buf_validate_validate.proto;
  expect(service).toEqual([]);
  for (const message of messageType) {
    expect(message.nestedType, message.name).toEqual([]);
    expect(message.enumType, message.name).toEqual([]);
    expect(message.extension, message.name).toEqual([]);
    expect(message.field.filter(({ type }) => type === Type.GROUP)).toEqual([]);
  }
});
