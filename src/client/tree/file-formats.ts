/** What a Hive has to be told of the formats of the app's files, of which it knows the names alone. */
import { isDeepStrictEqual } from "node:util";
import type { FileFormat, FormatName } from "../../domain/files/file-formats.ts";
import { endingOf, lastRule, maxPatternLength, maxRules } from "../../domain/files/file-rules.ts";
import { groupBy } from "../../domain/group-by.ts";
import { formatOfPath } from "../../formats/formats.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import type { TreeFile } from "./tree.ts";

/** A file by its name in the Hive. */
export interface KnownFormat {
  readonly name: string;
  readonly format: FormatName;
}

export function knownFormat({ name, format }: Pick<TreeFile, "name" | "format">): KnownFormat {
  return { name, format: format.name };
}

/** The format that a Hive with these rules takes a file for; undefined where it cannot tell. */
export function believedFormat(rules: readonly FileFormat[], name: string): FormatName | undefined {
  return lastRule(rules, name)?.format ?? formatOfPath(name)?.name;
}

/** The files that would be judged by the rules of another format than theirs. */
export function misjudged(
  files: readonly KnownFormat[],
  rules: readonly FileFormat[],
): readonly KnownFormat[] {
  return files.filter(
    ({ name, format }) => formatRulesOf(name, lastRule(rules, name)?.format) !== formatRulesOf(name, format),
  );
}

/**
 * The rules with which a Hive takes each file for what it is, as far as there is room for them.
 * @param files all that the Hive has: also those of other apps, with the formats that it takes them for.
 * @param known the rules that it has.
 * @returns these, where they say it all or no room is left.
 */
export function completedFormats(
  files: readonly KnownFormat[],
  known: readonly FileFormat[],
): readonly FileFormat[] {
  const added: FileFormat[] = [];
  const isWrong = ({ name, format }: KnownFormat): boolean =>
    believedFormat([...known, ...added], name) !== format;
  for (const [ending, own] of groupBy(files.filter(isNameable), ({ name }) => endingOf(name))) {
    if (ending === "" || !own.some(isWrong)) continue;
    const format = mostOf(own);
    if (believedFormat(known, `a${ending}`) !== format) added.push({ files: `*${ending}`, format });
  }
  // A name without a folder is matched in all folders, so that those with one have the last word.
  for (const isDeep of [false, true])
    for (const file of files.filter(isNameable))
      if (file.name.includes("/") === isDeep && added.length < maxRules && isWrong(file))
        added.push({ files: file.name, format: file.format });
  const names = new Set(added.map((rule) => rule.files));
  const kept = known.filter((rule) => !names.has(rule.files));
  const completed = [...kept, ...added].slice(0, maxRules);
  return isDeepStrictEqual(completed, known) ? known : completed;
}

function isNameable({ name }: KnownFormat): boolean {
  return name.length < maxPatternLength && !/[\p{C}\\*]/u.test(name);
}

/** The format that most files have. */
function mostOf(files: readonly KnownFormat[]): FormatName {
  const counts = [...groupBy(files, ({ format }) => format)].map(
    ([format, own]) => [format, own.length] as const,
  );
  return counts.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
