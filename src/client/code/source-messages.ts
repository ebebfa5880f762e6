/** The messages of an app's source files, as its code gives arguments to them. */
import { isFault, type Message } from "../../domain/checks/message.ts";
import type { SyntaxName } from "../../domain/checks/syntax-names.ts";
import { syntaxes } from "../../domain/checks/syntaxes.ts";
import { childOf, isList, type Group } from "../../domain/strings/string-file.ts";
import { stemOf } from "../../domain/names.ts";
import type { SourceStrings } from "../check.ts";
import { fileError } from "../api/client-error.ts";

/** A file with the message of each of its texts. */
export interface MessageFile {
  /** Its name in the Hive, without the ending. */
  readonly stem: string;
  /** Whether it is all that a locale has. */
  readonly isWhole: boolean;
  readonly group: Group;
  readonly messageOf: (text: string, key: string) => Message;
}

/** @throws ClientError with the line, from `messageOf`, where a text is certain to be no message. */
export function messageFile(
  { name, isWhole, file, lineOf, local }: SourceStrings,
  syntax: SyntaxName,
): MessageFile {
  const { parse, isStrict } = syntaxes[syntax];
  const messageOf = (text: string, key: string): Message => {
    const message = parse(text);
    if (!isFault(message)) return message;
    if (!isStrict) return { arguments: [] };
    const place = { file: local.absolute, line: lineOf(key) };
    throw fileError("error", place, `${JSON.stringify(key)}: ${message.fault}`);
  };
  return { stem: stemOf(name), isWhole, group: file.group, messageOf };
}

/** A TypeScript type for what a group holds; texts by what `leaf` gives for them. */
export function groupType(
  group: Group,
  leaf: (text: string, key: string) => string,
  { indent = "", prefix = "" }: { readonly indent?: string; readonly prefix?: string } = {},
): string {
  const inner = `${indent}  `;
  const members = Object.keys(group).map((name) => {
    const node = childOf(group, name) ?? "";
    const key = prefix + name;
    const type =
      typeof node === "string"
        ? leaf(node, key)
        : groupType(node, leaf, { indent: inner, prefix: `${key}.` });
    return isList(group) ? type : `${inner}${JSON.stringify(name)}: ${type};\n`;
  });
  return isList(group) ? `[${members.join(", ")}]` : `{\n${members.join("")}${indent}}`;
}
