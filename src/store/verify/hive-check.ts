/** Finds problems in the content of a Hive, and repairs them where this loses nothing. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { translationFile } from "../../domain/strings/group-edit.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { type LocaleCode, isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { type FileName } from "../../domain/names.ts";
import { filtered } from "../../domain/filtered.ts";
import { sameGroup, translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { counted } from "../../domain/text.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { fileOfPath, localeFolder, localesFolder, parseLocaleFile, toFile } from "../content/locale-files.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { sidecars } from "../../domain/plans/sidecars.ts";
import type { StorageFault } from "./storage-fault.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";
import { isSkepError, unlessFailed } from "../../domain/errors.ts";
import { readImageHeader } from "../../domain/pictures/image-header.ts";
import { placedPictures } from "../../domain/pictures/picture-strings.ts";
import { picturesFolder } from "../content/stored-pictures.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { countingIn } from "../../domain/strings/stale.ts";
import { type ValueWrite, valuesPath, type Sidecar } from "../../domain/sidecars/sidecar.ts";

/** Translations without a source string, or in another shape than the source file. */
export interface MisplacedTranslations {
  readonly problem: string;
  readonly write: FileWrite;
}

/** Finds folders of locales that the Hive's settings do not list. */
export function checkLocaleFolders(snapshot: Snapshot): readonly StorageFault[] {
  const { sourceLocale, targetLocales } = snapshot.settings;
  const known = new Set<string>([sourceLocale, ...targetLocales].map(({ code }) => code));
  const folders = [...(folderAt(snapshot.tree, ["locales"])?.entries.keys() ?? [])];
  return folders
    .filter((name) => !known.has(name))
    .map((name) => ({
      problem: `locales/${name} is not a locale of this Hive; add it with: skep locale create`,
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

/** Finds pictures that cannot be read, are not what they are said to be, or show no string. */
export async function findPictureProblems({
  pictures: stored,
  index,
}: Pick<Snapshot, "pictures" | "index">): Promise<readonly StorageFault[]> {
  const { pictures, problems } = await stored.readable();
  const found: StorageFault[] = problems.map(({ path }) => ({
    problem: `${path} does not belong to a picture`,
  }));
  const placed = await placedPictures(pictures, index.source);
  for (const [hash, picture] of pictures) {
    const at = `${picturesFolder}/${hash}`;
    try {
      const bytes = await stored.image(picture);
      const isWhole = createHash("sha256").update(bytes).digest("hex") === hash;
      if (!isWhole || readImageHeader(bytes)?.type !== picture.type)
        found.push({ problem: `${at} is not the image that its name says` });
    } catch (error) {
      if (!isSkepError(error)) throw error;
      found.push({ problem: error.message });
    }
    if (placed.get(hash) !== picture) found.push({ problem: `${at} names strings that there are not` });
  }
  return found;
}

/** Finds a glossary and styles that cannot be read, and styles of locales that the Hive does not have. */
export async function checkGlossary({ glossary, settings }: Snapshot): Promise<readonly StorageFault[]> {
  const known = new Map<string, LocaleCode>(localesOf(settings).map(({ code }) => [code, code]));
  const found: StorageFault[] = [];
  const attempt = async (read: () => Promise<unknown>): Promise<void> => {
    await unlessFailed(read(), "any", ({ message }) => found.push({ problem: message }));
  };
  await attempt(() => glossary.terms());
  for (const name of glossary.styles) {
    const locale = known.get(name);
    if (locale === undefined)
      found.push({ problem: `style/${name}.md does not belong to a locale of this Hive` });
    else await attempt(() => glossary.style(locale));
  }
  return found;
}

/** Values that cannot be read, or that mean nothing beside the texts. */
interface MisplacedValues {
  readonly problem: string;
  /** The writes that repair it; none where that could lose something. */
  readonly writes: readonly ValueWrite[];
}

/**
 * Finds values beside texts that do not count: their text or string is not there, or is another one.
 * @param rules.isBranch whether it is a branch besides main, which may have values of locales that main has no more.
 * @throws SkepError `content-invalid` when values of a kind that is not optional cannot be read.
 */
export async function findMisplacedValues(
  snapshot: Snapshot,
  { isBranch = false }: { readonly isBranch?: boolean } = {},
): Promise<readonly MisplacedValues[]> {
  const found: MisplacedValues[] = [];
  for (const kind of sidecars) {
    if (!isBranch && kind.by === "translation") found.push(...findForeign(snapshot, kind));
    found.push(...(await findNotCounting(snapshot, kind)));
  }
  return found;
}

async function findNotCounting<V>(snapshot: Snapshot, kind: Sidecar<V>): Promise<readonly MisplacedValues[]> {
  const { sourceLocale, targetLocales } = snapshot.settings;
  const stored = snapshot.values.of(kind);
  const [thing, fault] = kind.words;
  const found: MisplacedValues[] = [];
  for (const { code: locale } of kind.by === "string" ? [sourceLocale] : targetLocales) {
    const { files, unreadable } = kind.isOptional
      ? await stored.readable(locale)
      : { files: await stored.files(locale), unreadable: new Map<FileName, never>() };
    if (unreadable === undefined) found.push({ problem: `${kind.folder} cannot be read`, writes: [] });
    for (const file of unreadable?.keys() ?? [])
      found.push({ problem: `${valuesPath(kind, locale, file)} cannot be read`, writes: [] });
    if (files.size === 0) continue;
    const hive = await snapshot.content(kind.countsByText ? [locale] : []);
    for (const [file, values] of files) {
      await setImmediate();
      const counting = countingIn(kind, hive, { locale, file }, values);
      if (counting.size > 0 && counting.size === values.size) continue;
      const lacking = `${counted(values.size - counting.size, thing)} ${fault}`;
      const problem = `${valuesPath(kind, locale, file)} holds ${lacking}`;
      found.push({ problem, writes: [{ kind, locale, file, values: counting }] });
    }
  }
  return found;
}

/** Values of locales that are not the Hive's. They are kept as long as the locale still has a folder of translations. */
function* findForeign({ tree, settings }: Snapshot, kind: Sidecar<unknown>): Generator<MisplacedValues> {
  const { folder } = kind;
  const known = new Set<string>(settings.targetLocales.map(({ code }) => code));
  for (const [name, entry] of folderAt(tree, [folder])?.entries ?? []) {
    if (known.has(name)) continue;
    const writes: ValueWrite[] = [];
    if (
      entry.kind === "folder" &&
      isStoredLocaleCode(name) &&
      folderAt(tree, [localesFolder, name]) === undefined
    ) {
      for (const { path } of filesOf(entry.tree)) {
        const file = fileOfPath(path);
        if (file !== undefined) writes.push({ kind, locale: name, file, values: new Map() });
      }
    }
    yield { problem: `${folder}/${name} does not belong to a target locale`, writes };
  }
}
