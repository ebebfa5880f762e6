/** Files of translations that `skep init` sees and cannot offer, with what to do about them. */
import { dirname } from "node:path/posix";
import { startOfApps, versionsOfApps } from "../../formats/xliff/xliff-names.ts";
import { canonicalCode, isLanguageCode } from "./language-code.ts";

export interface UnreadFiles {
  readonly paths: readonly string[];
  /** What they are, and what to do. */
  readonly advice: string;
}

/** A kind of files by their paths and, where it is given, by what is in them. */
interface Kind {
  readonly path: RegExp;
  readonly isIt?: (text: string) => boolean;
  /** Whether one such file in a folder is no sign of translations. */
  readonly hasSeveral?: true;
  readonly advice: string;
}

const folder = String.raw`(?:^|/)(?:_locales|lang|langs|languages?|locales?|l10n|i18n|translations?|messages)/(?:.*/)?`;
/** A code alone as a name, or behind one. */
const named = String.raw`(?:[\w-]+[._-])?[a-z]{2}(?:[-_][A-Za-z]{2,4})?`;
const inFolder = (ending: string): RegExp => new RegExp(`${folder}${named}\\.${ending}$`);

/** Languages that nearly every app has. */
const languageName =
  "(?:English|French|German|Spanish|Italian|Portuguese|Russian|Japanese|Chinese|Korean|Arabic|Polish|Dutch|Turkish)";

const kinds: readonly Kind[] = [
  {
    path: new RegExp(
      String.raw`${folder}${languageName}[\w ()-]*\.(?:json|ya?ml|php|ini|properties|po|xlf|toml|strings|resx)$`,
      "i",
    ),
    advice:
      "named by languages and not by codes: name them in skep.yaml, with what each code is there under locales, such as de: German",
    hasSeveral: true,
  },
  {
    path: /\.xlf$|\.xliff$/,
    isIt: (text) => /<xliff\b[^>]*\sversion=["']/.test(text) && !startOfApps.test(text),
    advice: `XLIFF of another version: let the app's tool write one of ${versionsOfApps.join(", ")}`,
  },
  {
    path: /\.xliff$/,
    isIt: (text) => (text.match(/<file\b/g) ?? []).length > 1,
    advice:
      "an export of Xcode, from several files: name the .xcstrings or .strings files of the app itself in skep.yaml, or else these exports",
  },
  {
    path: /\.(?:json|ya?ml)$/,
    isIt: (text) => hasAllLocales(text),
    advice: "one file with all locales: write a file for each locale, with the code in its name",
  },
  {
    path: inFolder("cfg"),
    advice: "if it is INI, name its files in skep.yaml with format: ini",
  },
  {
    path: inFolder("(?:[cm]?[jt]sx?|rb|py|lua)"),
    isIt: (text) => !text.includes("<TS"),
    advice: "program code: move the texts to a JSON file for each locale, which the code imports",
  },
  {
    path: inFolder("(?:config|dtd|hjson|json5|jsonc|lang|lng|loc|neon|plist|str|txt|xmb|xtb)"),
    advice: "a format that Skep does not read: docs/formats.md lists those that it does",
    hasSeveral: true,
  },
];

/** Whether a path may be of one of the kinds. */
export function isOfOtherKind(path: string): boolean {
  return kinds.some((kind) => kind.path.test(path));
}

/** How many files are read. */
const maxRead = 500;
/** Files beyond are data. */
const maxBytes = 2_000_000;

/**
 * Sorts files into the kinds.
 * @param paths of the tree, without those that are offered.
 * @param read reads a file; undefined where it cannot be read.
 */
export async function unreadFiles(
  paths: readonly string[],
  read: (path: string) => Promise<string | undefined>,
): Promise<readonly UnreadFiles[]> {
  const found = new Map<string, string[]>();
  let left = maxRead;
  for (const path of paths) {
    for (const { path: expression, isIt, advice } of kinds) {
      if (!expression.test(path) || (isIt !== undefined && left-- <= 0)) continue;
      const text = isIt === undefined ? "" : await read(path);
      if (text === undefined || text.length > maxBytes || isIt?.(text) === false) continue;
      found.set(advice, [...(found.get(advice) ?? []), path]);
      break;
    }
  }
  return Array.from(found, ([advice, own]) => ({ paths: withSeveral(advice, own), advice })).filter(
    ({ paths: own }) => own.length > 0,
  );
}

/** Without files that are alone in their folder, of a kind that needs others beside it. */
function withSeveral(advice: string, paths: readonly string[]): readonly string[] {
  if (!kinds.some((kind) => kind.advice === advice && kind.hasSeveral === true)) return paths;
  const own = new Map<string, number>();
  for (const path of paths) own.set(dirname(path), (own.get(dirname(path)) ?? 0) + 1);
  return paths.filter((path) => (own.get(dirname(path)) ?? 0) > 1);
}

function isCode(name: string): boolean {
  return (
    /^[a-z]{2}(?:[-_][A-Za-z]{2,4})?$/.test(name) && isLanguageCode(name) && canonicalCode(name) !== undefined
  );
}

function codesAmong(names: readonly string[]): number {
  return names.filter((name) => isCode(name.trim().replaceAll(/^"|"$/g, ""))).length;
}

/** Whether the names at the top of a file are the codes of several locales, each with texts below it. */
function hasAllLocales(text: string): boolean {
  const top = /^\s*\{/.test(text) ? namesOfJson(text) : namesOfYaml(text);
  return top.length > 1 && codesAmong(top) === top.length;
}

function namesOfJson(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return [];
    const entries = Object.entries(value);
    return entries.every(([, inner]) => typeof inner === "object") ? entries.map(([name]) => name) : [];
  } catch {
    return [];
  }
}

function namesOfYaml(text: string): readonly string[] {
  return Array.from(text.matchAll(/^["']?([^\s"'#:][^"':\n]*)["']?:([^\n]*)/gm), ([, name = "", rest = ""]) =>
    rest.trim() === "" ? name : "",
  );
}
