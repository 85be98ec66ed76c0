import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

/**
 * Prints a proto2 file from its descriptor: messages, enums, oneofs, extensions and their ranges. Options, comments, maps,
 * groups and nested types are left out, because protovalidate's file, the only one printed, has none that matter to us.
 */
export function printProto2(file: FileDescriptorProto): string {
  return [
    'syntax = "proto2";',
    `package ${file.package};`,
    ...file.dependency.map((path) => `import "${path}";`),
    ...file.extension.map((field) => `extend ${field.extendee} {\n${printField(field)}\n}`),
    ...file.messageType.map(printMessage),
    ...file.enumType.map(printEnum),
    "",
  ].join("\n");
}

function printMessage(message: DescriptorProto): string {
  const oneofs = message.oneofDecl.map((oneof, index) => {
    const members = message.field.filter((field) => isMember(field, index));
    return `oneof ${oneof.name} {\n${members.map((field) => printDeclaration(field)).join("\n")}\n}`;
  });
  const fields = message.field.filter((field) => !inOneof(field));
  const ranges = message.extensionRange.map(({ start, end }) =>
    // The range's end is exclusive in the descriptor and inclusive in the text.
    end === 0x20000000 ? `extensions ${start} to max;` : `extensions ${start} to ${end - 1};`,
  );
  return `message ${message.name} {\n${[...fields.map(printField), ...oneofs, ...ranges].join("\n")}\n}`;
}

/** Whether oneofIndex was set: the default, 0, is also the index of the first oneof. */
function inOneof(field: FieldDescriptorProto): boolean {
  return Object.hasOwn(field, "oneofIndex");
}

function isMember(field: FieldDescriptorProto, index: number): boolean {
  return inOneof(field) && field.oneofIndex === index;
}

function printField(field: FieldDescriptorProto): string {
  const label = field.label === Label.REPEATED ? "repeated" : field.label === Label.REQUIRED ? "required" : "optional";
  return `${label} ${printDeclaration(field)}`;
}

function printDeclaration(field: FieldDescriptorProto): string {
  const type = field.typeName === "" ? Type[field.type].toLowerCase() : field.typeName;
  return `${type} ${field.name} = ${field.number};`;
}

function printEnum(enumeration: EnumDescriptorProto): string {
  const values = enumeration.value.map(({ name, number }) => `${name} = ${number};`);
  return `enum ${enumeration.name} {\n${values.join("\n")}\n}`;
}
