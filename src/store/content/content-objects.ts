/** Reads the content of a Hive in one locale by the names of its git objects, whatever commit has it. */
import { failure } from "../../domain/errors.ts";
import { pseudoKindOf, pseudoLocaleNamed } from "../../domain/export/pseudo-locales.ts";
import { ancestorsOf, localeNamed } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import type { HiveContent, TranslationFiles } from "../../domain/strings/hive-content.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, type Tree } from "../../git/objects/tree.ts";
import { parseHiveSettings } from "../settings/hive-settings-file.ts";
import { decode, FileReader, localesFolder } from "./locale-files.ts";
import { acceptedKind } from "../../domain/sidecars/accepted.ts";
import { reviewKind } from "../../domain/sidecars/review.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { StoredSidecars } from "./stored-values.ts";

/** The names of the objects of one locale. */
export interface LocaleObjects {
  readonly locale: Oid;
  /** The folder of accepted findings in the locale; undefined where these do not count. */
  readonly accepted?: Oid;
  /** The folder of texts that wait for a review in the locale; undefined where it does not matter that they do. */
  readonly review?: Oid;
}

/** The names of the objects that the content in one locale follows from. */
export interface ContentObjects extends LocaleObjects {
  readonly settings: Oid;
  /** The folder of the source locale, which is also its own {@link LocaleObjects.locale}. */
  readonly source: Oid;
  /** Those of the locales that it inherits from, the nearest first; undefined where these do not count. */
  readonly ancestors?: readonly LocaleObjects[];
  /** The folder of notes; undefined where these do not count. */
  readonly notes?: Oid;
}

export interface LocaleContent {
  readonly content: HiveContent;
  readonly locale: Locale;
  readonly values: StoredSidecars;
}

/**
 * Reads the content that some objects are.
 * @param text the locale, by any of its codes, or a pseudo-locale.
 * @returns undefined when these settings do not have the locale.
 * @throws SkepError `content-invalid` when an object is missing or unreadable.
 */
export async function readContent(
  repo: BareRepo,
  objects: ContentObjects,
  text: string,
): Promise<LocaleContent | undefined> {
  try {
    const settings = parseHiveSettings(decode(await repo.readBlob(objects.settings, "the settings")));
    const locale = localeNamed(settings, text) ?? pseudoLocaleNamed(settings, text);
    if (locale === undefined) return undefined;
    const sourceCode = settings.sourceLocale.code;
    const ancestors = ancestorsOf(settings, locale).slice(0, objects.ancestors?.length ?? 0);
    const codes = [locale, ...ancestors].map(({ code }) => code);
    const tree = await treeOf(repo, sourceCode, codes, objects);
    const reader = new FileReader(repo);
    const from = { repo, commit: objects.settings, tree };
    const values = new StoredSidecars(from);
    const { files: source } = await reader.readSource(tree, sourceCode, undefined);
    const translations = new Map<LocaleCode, TranslationFiles>();
    for (const code of codes) {
      if (code === sourceCode || pseudoKindOf(locale) !== undefined) continue;
      const read = await reader.readTranslations(tree, code, { before: undefined, source });
      translations.set(code, read.files);
    }
    repo.releasePacks();
    return { content: { settings, source, translations }, locale, values };
  } catch (cause) {
    if (!(cause instanceof UnreadablePath)) throw cause;
    throw failure("content-invalid", "Published content cannot be read from the Hive.", { cause });
  }
}

/** A tree that has the folders of the source locale and of some others where a commit has them. */
async function treeOf(
  repo: BareRepo,
  sourceCode: LocaleCode,
  codes: readonly LocaleCode[],
  { source, notes = emptyTree.oid, ancestors = [], ...own }: ContentObjects,
): Promise<Tree> {
  const objects = [own, ...ancestors];
  const foldersOf = async (oidOf: (one: LocaleObjects) => Oid | undefined) =>
    Promise.all(
      codes.map(async (code, at) => {
        const oid = (objects[at] && oidOf(objects[at])) ?? emptyTree.oid;
        return [code, await repo.readTree(oid)] as const;
      }),
    );
  const [sourceTree, locales, accepted, review, notesTree] = await Promise.all([
    repo.readTree(source),
    foldersOf(({ locale }) => locale),
    foldersOf((one) => one.accepted),
    foldersOf((one) => one.review),
    repo.readTree(notes),
  ]);
  return folderOf(source, [
    [localesFolder, folderOf(source, [...locales, [sourceCode, sourceTree]])],
    [acceptedKind.folder, folderOf(source, accepted)],
    [reviewKind.folder, folderOf(source, review)],
    [notesKind.folder, notesTree],
  ]);
}

/** A tree of folders. Its own name does not follow from its content, and nothing looks at it. */
function folderOf(oid: Oid, folders: readonly (readonly [string, Tree])[]): Tree {
  return { oid, entries: new Map(folders.map(([name, tree]) => [name, { kind: "folder", tree }])) };
}
