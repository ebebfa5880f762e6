/** The types of an app's texts, for each library that reads them: the keys, and the arguments of each text. */
import type { Argument, Message } from "../../domain/checks/message.ts";
import type { SyntaxName } from "../../domain/checks/syntax-names.ts";
import { childOf, leavesOf, type Group } from "../../domain/strings/string-file.ts";
import type { Library } from "./libraries.ts";
import { groupType, type MessageFile } from "./source-messages.ts";

interface LibraryTypes {
  /** The syntax of its texts. */
  readonly syntax: SyntaxName;
  /** @param namespace of i18next, the one that is meant where none is named. */
  readonly print: (files: readonly MessageFile[], namespace: string | undefined) => string;
}

export const libraryTypes: Readonly<Record<Library, LibraryTypes>> = {
  i18next: { syntax: "i18next", print: printI18next },
  formatjs: { syntax: "icu", print: printFormatJs },
  "vue-i18n": { syntax: "brace", print: printVue },
};

/**
 * i18next reads the arguments from the types of texts. Of a text only these are in its type, so that a file of types stays as
 * it is when somebody words a text otherwise.
 */
function printI18next(files: readonly MessageFile[], namespace: string | undefined): string {
  const spaces = new Map(files.map((file) => [file.isWhole ? "translation" : file.stem, file]));
  const standard = namespace ?? (spaces.has("translation") ? "translation" : [...spaces.keys()][0]);
  const resources = Array.from(spaces, ([name, { group, messageOf }]) => {
    const leaf = (text: string, key: string): string => {
      const shown = messageOf(text, key).arguments.flatMap(({ name: argument, range }) =>
        argument.startsWith("$t(") ? [] : `{{${argument}${formatIn(text.slice(...range))}}}`,
      );
      return shown.length === 0 ? "string" : JSON.stringify([...new Set(shown)].join(""));
    };
    return `      ${JSON.stringify(name)}: ${groupType(group, leaf, { indent: "      " })};\n`;
  });
  return `import "i18next";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: ${JSON.stringify(standard)};
    strictInterpolationChecks: true;
    resources: {
${resources.join("")}    };
  }
}
`;
}

/** The format of an argument of i18next, from its comma on. */
function formatIn(argument: string): string {
  const comma = argument.indexOf(",");
  return comma === -1 ? "" : `, ${argument.slice(comma + 1, -2).trim()}`;
}

/** What FormatJS takes for the kinds of arguments; anything for others, also elements of the app's framework. */
const formatJsTypes: ReadonlyMap<string, string> = new Map([
  ["number", "number | bigint"],
  ["plural", "number | bigint"],
  ["selectordinal", "number | bigint"],
  ["date", "number | Date"],
  ["time", "number | Date"],
  ["select", "string | number | boolean"],
]);

function printFormatJs(files: readonly MessageFile[]): string {
  const messages = new Map<string, Map<string, string>>();
  for (const { group, messageOf } of files) {
    for (const [key, leaf] of leavesOf(group)) {
      if (typeof leaf !== "string") continue;
      // Two files may have a key: the code gives what either of them needs.
      const types = messages.get(key) ?? new Map<string, string>();
      messages.set(key, types);
      for (const { name, kind } of messageOf(leaf, key).arguments)
        types.set(
          name,
          types.has(name) ? narrower(types.get(name), kind) : (formatJsTypes.get(kind) ?? "Value"),
        );
      for (const name of tagsIn(leaf)) types.set(name, "Tag");
    }
  }
  const ids = Array.from(messages.keys(), (key) => `\n        | ${JSON.stringify(key)}`);
  const contracts = Array.from(messages, ([key, types]) => {
    const members = Array.from(types, ([name, type]) => `${JSON.stringify(name)}: ${type}`);
    const contract = members.length === 0 ? "Record<never, never>" : `{ ${members.join("; ")} }`;
    return `      ${JSON.stringify(key)}: ${contract};\n`;
  });
  return `import type { MessageTag as Tag, MessageValue as Value } from "@formatjs/intl";

declare global {
  namespace FormatjsIntl {
    interface Message {
      ids:${ids.join("") || " never"};
    }
    interface MessageArguments {
${contracts.join("")}    }
  }
}
`;
}

/** The type of an argument that stands in a text several times, such as a number that also decides on a plural. */
function narrower(before = "Value", kind: string): string {
  const type = formatJsTypes.get(kind) ?? "Value";
  if (before === "Value" || before === type) return type;
  return type === "Value" ? before : `(${before}) & (${type})`;
}

/** The names of the elements in a text of FormatJS, which the code gives functions for. */
function tagsIn(text: string): readonly string[] {
  // What stands between apostrophes is text.
  const shown = text.replaceAll(/'[{<][^']*'/g, "");
  const names = Array.from(shown.matchAll(/<([A-Za-z][\w.-]*)>/g), ([, name = ""]) => name);
  return [...new Set(names)].filter((name) => shown.includes(`</${name}>`));
}

/** vue-i18n types the keys, but takes any other text for one, too. `Translate` does not, and asks for the arguments. */
function printVue(files: readonly MessageFile[]): string {
  const members: [string, Group | string][] = [];
  const contracts: string[] = [];
  for (const { isWhole, stem, group, messageOf } of files) {
    if (isWhole) for (const name of Object.keys(group)) members.push([name, childOf(group, name) ?? ""]);
    else members.push([stem, group]);
    const prefix = isWhole ? "" : `${stem}.`;
    for (const [key, leaf] of leavesOf(group)) {
      if (typeof leaf !== "string") continue;
      contracts.push(`  ${JSON.stringify(prefix + key)}: ${vueArguments(leaf, messageOf(leaf, key))};\n`);
    }
  }
  const schema = groupType(Object.fromEntries(members), () => "string", { indent: "  " });
  return `import type { TranslateOptions } from "vue-i18n";

declare module "vue-i18n" {
  export interface DefineLocaleMessage ${schema}
}

/** The arguments of each text, behind its key. */
export interface MessageArguments {
${contracts.join("")}}

/** \`t\` for the texts of this app alone: \`const t = useI18n().t as Translate;\` */
export type Translate = <K extends keyof MessageArguments>(
  key: K,
  ...values: MessageArguments[K] | [...MessageArguments[K], options: TranslateOptions]
) => string;
`;
}

/** The number of a plural has these names in its texts, without being given. */
const impliedByPlural: ReadonlySet<string> = new Set(["count", "n"]);

function vueArguments(text: string, { arguments: all }: Message): string {
  const names = [...new Set(all.filter(isGiven).map(({ name }) => name))];
  const isPlural = text.replaceAll(/\{'[^']*'\}/g, "").includes("|");
  const needed = isPlural ? names.filter((name) => !impliedByPlural.has(name)) : names;
  const positions = needed.map(Number);
  const plural = isPlural ? ", plural: number" : "";
  if (needed.length === 0) return isPlural ? "[plural: number]" : "[]";
  if (positions.every((position) => Number.isInteger(position))) {
    const length = Math.max(...positions) + 1;
    return `[list: [${Array.from({ length }, () => "unknown").join(", ")}]${plural}]`;
  }
  return `[named: { ${needed.map((name) => `${JSON.stringify(name)}: unknown`).join("; ")} }${plural}]`;
}

function isGiven({ name }: Argument): boolean {
  return !name.startsWith("@");
}
