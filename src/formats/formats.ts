/** The formats of an app's files. A format is loaded when a file needs it: its parser takes longer than most commands. */
import type { FormatName } from "../domain/files/file-formats.ts";
import type { FileFormat } from "./format.ts";

/** The properties of a format that are known before it is loaded. */
export interface FormatRow {
  /** As `format:` in `skep.yaml` has it. */
  readonly name: FormatName;
  /** The endings of its files, with their dots; of two formats with one ending the first is the usual one. */
  readonly extensions: readonly string[];
  /** Matches the paths of its files, where they have the ending of another format. */
  readonly path?: RegExp;
  /** Whether one file holds the texts of all locales, so that its path has no code. */
  readonly isMultilingual?: true;
  /** Whether the keys are the texts of the source locale, so that the source file may lack some, and a translation not. */
  readonly hasKeysAsTexts?: true;
  readonly load: () => Promise<FileFormat>;
  /** The code that the format's files have for a locale in their paths, where it has codes of its own. */
  readonly localeCode?: (canonical: string) => string;
  /** The BCP 47 code for such a code; undefined where it is none. */
  readonly canonicalCode?: (code: string) => string | undefined;
}

/** All formats, the usual one of an ending first. */
export const formats: readonly FormatRow[] = [
  {
    name: "chrome",
    extensions: [],
    path: /(?:^|\/)_locales\/.+\/messages\.json$/,
    load: async () => (await import("./chrome.ts")).chrome,
    localeCode: (canonical) => canonical.replaceAll("-", "_"),
  },
  { name: "docusaurus", extensions: [], load: async () => (await import("./chrome.ts")).chrome },
  { name: "go-i18n", extensions: [], load: async () => (await import("./id-list.ts")).idList },
  { name: "json", extensions: [".json"], load: async () => (await import("./json.ts")).json },
  {
    name: "laravel-json",
    extensions: [],
    hasKeysAsTexts: true,
    load: async () => (await import("./json.ts")).json,
  },
  { name: "php", extensions: [".php"], load: async () => (await import("./php.ts")).php },
  { name: "arb", extensions: [".arb"], load: async () => (await import("./arb.ts")).arb },
  {
    name: "android",
    extensions: [".xml"],
    load: async () => (await import("./android.ts")).android,
    localeCode: androidCode,
    canonicalCode: ofAndroid,
  },
  {
    name: "xcstrings",
    extensions: [".xcstrings"],
    isMultilingual: true,
    load: async () => (await import("./xcstrings.ts")).xcstrings,
  },
  { name: "qt", extensions: [".ts"], load: async () => (await import("./qt.ts")).qt },
  { name: "resx", extensions: [".resx", ".resw"], load: async () => (await import("./resx.ts")).resx },
  {
    name: "stringsdict",
    extensions: [".stringsdict"],
    load: async () => (await import("./stringsdict.ts")).stringsdict,
  },
  { name: "strings", extensions: [".strings"], load: async () => (await import("./strings.ts")).strings },
  { name: "po", extensions: [".po", ".pot"], load: async () => (await import("./po.ts")).po },
  {
    name: "properties",
    extensions: [".properties"],
    load: async () => (await import("./properties.ts")).properties,
  },
  {
    name: "csv",
    extensions: [".csv", ".tsv"],
    isMultilingual: true,
    load: async () => (await import("./csv.ts")).csv,
  },
  { name: "ini", extensions: [".ini"], load: async () => (await import("./ini.ts")).ini },
  { name: "toml", extensions: [".toml"], load: async () => (await import("./toml.ts")).toml },
  { name: "fluent", extensions: [".ftl"], load: async () => (await import("./fluent.ts")).fluent },
  { name: "xliff", extensions: [".xlf", ".xliff"], load: async () => (await import("./xliff.ts")).xliff },
  { name: "yaml", extensions: [".yaml", ".yml"], load: async () => (await import("./yaml.ts")).yaml },
  { name: "rails", extensions: [".yml", ".yaml"], load: async () => (await import("./yaml.ts")).rails },
];

/** Java's former codes of languages, which Android's folders have. */
const formerCodes: Readonly<Record<string, string>> = { he: "iw", id: "in", yi: "ji" };

/** The code of a locale in the names of Android's folders: `pt-rBR`, `b+zh+Hans`. */
function androidCode(canonical: string): string {
  const [language = "", ...rest] = canonical.split("-");
  const [region = ""] = rest;
  if (rest.length === 0) return formerCodes[language] ?? language;
  const isRegion = rest.length === 1 && /^[A-Z]{2}$/.test(region);
  return isRegion ? `${formerCodes[language] ?? language}-r${region}` : `b+${canonical.replaceAll("-", "+")}`;
}

/** The code in the name of one of Android's folders; other folders, such as `values-night`, have none. */
function ofAndroid(code: string): string | undefined {
  const [, language, region] = /^([a-z]{2,3})(?:-r([A-Z]{2}))?$/.exec(code) ?? [];
  if (language !== undefined) return region === undefined ? language : `${language}-${region}`;
  return code.startsWith("b+") ? code.slice(2).replaceAll("+", "-") : undefined;
}

/** The format of that name, as `format:` in `skep.yaml` gives it; undefined when there is none. */
export function formatNamed(name: string): FormatRow | undefined {
  return formats.find((format) => format.name === name);
}

/** The format that a file's path determines, mostly by its ending; undefined if there is none. */
export function formatOfPath(path: string): FormatRow | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return (
    formats.find((format) => format.path?.test(path) === true) ??
    formats.find(({ extensions }) => extensions.some((ending) => name.endsWith(ending)))
  );
}
