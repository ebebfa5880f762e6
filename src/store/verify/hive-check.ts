/** Finds problems in the content of a Hive, and repairs them where this loses nothing. */
import { translationFile } from "../../domain/strings/group-edit.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import { filtered } from "../../domain/filtered.ts";
import { sameGroup, translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { counted } from "../../domain/text.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { localeFolder, localesFolder, parseLocaleFile, toFile } from "../content/locale-files.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { Finding } from "../../domain/finding.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";

/** Translations without a source string, or in another shape than the source file. */
export interface MisplacedTranslations {
  readonly problem: string;
  /** The file as it should be. */
  readonly write: FileWrite;
}

/** Finds folders of locales that the Hive's settings do not list. */
export function checkLocaleFolders(snapshot: Snapshot): readonly Finding[] {
  const { sourceLocale, targetLocales } = snapshot.settings;
  const known = new Set<string>([sourceLocale, ...targetLocales].map(({ code }) => code));
  const folders = [...(folderAt(snapshot.tree, ["locales"])?.entries.keys() ?? [])];
  return folders
    .filter((name) => !known.has(name))
    .map((name) => ({
      problem: `locales/${name} is not a locale of this Hive; add it with: skep locale add`,
    }));
}

/**
 * Finds translation files with texts that have no source string, or with another shape than their source file.
 * @throws SkepError `content-invalid` when a file cannot be read.
 */
export async function findMisplaced(
  repo: BareRepo,
  { tree, settings, index, commit }: Snapshot,
): Promise<readonly MisplacedTranslations[]> {
  const found: MisplacedTranslations[] = [];
  // File by file: all translations of a large Hive together may take more memory than there is.
  for (const { code } of settings.targetLocales) {
    const prefix = `${localesFolder}/${code}/`;
    for (const { path: inner, oid } of filesOf(localeFolder(tree, code))) {
      const path = prefix + inner;
      try {
        const file = toFile(inner, prefix);
        const blob = await parseLocaleFile(await repo.readBlob(oid, path), path);
        const misplaced = compare(blob, index.source.get(file), code, file);
        if (misplaced !== undefined)
          found.push({ problem: `${path} ${misplaced.problem}`, write: misplaced.write });
      } catch (error) {
        throw toContentInvalid(commit.oid, error);
      }
    }
  }
  return found;
}

function compare(
  blob: StringFile,
  source: StringFile | undefined,
  locale: LocaleCode,
  file: FileName,
): MisplacedTranslations | undefined {
  const keys = translatableTexts(source);
  const kept = filtered(blob.texts, (key, text) => text !== "" && keys.has(key));
  const content = translationFile(source, kept);
  const write = { locale, file, content };
  const without = blob.texts.size - kept.size;
  if (without > 0) return { problem: `holds ${counted(without, "text")} without a source string`, write };
  if (content === undefined || !sameGroup(blob.group, content.group, "shape")) {
    return { problem: "does not have the shape of its source file", write };
  }
  return undefined;
}
