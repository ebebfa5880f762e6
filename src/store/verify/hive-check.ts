/** Finds problems in the content of a Hive, and repairs them where this loses nothing. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { translationFile } from "../../domain/strings/group-edit.ts";
import type { FileWrite, HiveContent } from "../../domain/strings/hive-content.ts";
import { type LocaleCode, isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { type FileName, isFileName } from "../../domain/names.ts";
import { filtered } from "../../domain/filtered.ts";
import {
  sameGroup,
  translatableTexts,
  type StringFile,
  type Texts,
} from "../../domain/strings/string-file.ts";
import { counted } from "../../domain/text.ts";
import { toContentInvalid, type BareRepo } from "../../git/bare-repo.ts";
import { localeFolder, localesFolder, parseLocaleFile, toFile } from "../content/locale-files.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { StorageFault } from "./storage-fault.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";
import { placedNotes } from "../../domain/notes/note-changes.ts";
import { formatNoteFile } from "../../domain/notes/note-files.ts";
import { notesFolder, notesPath, type NotesWrite } from "../content/stored-notes.ts";
import { isSkepError, unlessFailed } from "../../domain/errors.ts";
import { readImageHeader } from "../../domain/pictures/image-header.ts";
import { placedPictures } from "../../domain/pictures/picture-strings.ts";
import { picturesFolder } from "../content/stored-pictures.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { toMarkerWrite, validMarkers } from "../../domain/strings/stale.ts";
import { validReviews } from "../../domain/review/review.ts";
import { placedIn, toAcceptanceFile } from "../content/accepted-findings.ts";
import {
  acceptedFolder,
  markersPath,
  reviewFolder,
  staleFolder,
  type MarkerFolder,
  type StoredMarkers,
} from "../content/stored-files.ts";

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

interface MisplacedNotes {
  readonly problem: string;
  /** What mends it; undefined where that could lose something. */
  readonly write: NotesWrite | undefined;
}

/** Finds notes that cannot be read, and notes without a source string; the latter with the write that removes them. */
export async function findMisplacedNotes({
  notes: stored,
  index,
}: Pick<Snapshot, "notes" | "index">): Promise<readonly MisplacedNotes[]> {
  const { notes, unreadable } = await stored.readable();
  if (unreadable === undefined) return [{ problem: `${notesFolder} cannot be read`, write: undefined }];
  const found: MisplacedNotes[] = Array.from(unreadable.keys(), (file) => ({
    problem: `${notesPath(file)} cannot be read`,
    write: undefined,
  }));
  for (const [file, keys] of notes) {
    const placed = placedNotes(keys, index.source.get(file));
    if (placed.size > 0 && placed.size === keys.size) continue;
    const without = counted(keys.size - placed.size, "note");
    const problem = `${notesPath(file)} holds ${without} without a source string`;
    found.push({ problem, write: { file, text: formatNoteFile(placed) } });
  }
  return found;
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

/** Stale markers without a stale translation, or accepted findings without a string. */
interface MisplacedMarkers {
  readonly folder: MarkerFolder;
  readonly problem: string;
  /** The writes that repair it; none where that could lose something. */
  readonly writes: readonly FileWrite[];
}

/**
 * Finds stale markers without a translation, or with the current source text, markers of reviews that name another text
 * than the stored one, and accepted findings of strings that are not there.
 * @param rules.isBranch whether it is a branch besides main, which may have markers of locales that main has no more.
 * @throws SkepError `content-invalid` when markers cannot be read.
 */
export async function findMisplacedMarkers(
  snapshot: Snapshot,
  { isBranch = false }: { readonly isBranch?: boolean } = {},
): Promise<readonly MisplacedMarkers[]> {
  const folders: readonly MarkerFolder[] = isBranch ? [] : [staleFolder, acceptedFolder, reviewFolder];
  const found = folders.flatMap((folder) => Array.from(findForeign(snapshot, folder)));
  const codes = snapshot.settings.targetLocales.map(({ code }) => code);
  async function check(
    folder: MarkerFolder,
    stored: StoredMarkers,
    what: readonly [thing: string, lacking: string],
    toValid: (hive: HiveContent, locale: LocaleCode, file: FileName, texts: Texts) => Texts,
    toWrite = toMarkerWrite,
  ): Promise<void> {
    const markers = await stored.read(codes);
    const marked = [...markers].filter(([, files]) => files.size > 0).map(([code]) => code);
    const hive = await snapshot.content(marked);
    for (const [locale, files] of markers) {
      for (const [file, texts] of files) {
        await setImmediate();
        const valid = toValid(hive, locale, file, texts);
        if (valid.size > 0 && valid.size === texts.size) continue;
        const lacking = `${counted(texts.size - valid.size, what[0])} ${what[1]}`;
        const problem = `${markersPath(folder, locale, file)} holds ${lacking}`;
        found.push({ folder, problem, writes: [toWrite(locale, file, valid)] });
      }
    }
  }
  await check(staleFolder, snapshot.staleMarkers, ["marker", "without a stale translation"], validMarkers);
  const acceptances = ["accepted finding", "without a source string"] as const;
  await check(acceptedFolder, snapshot.accepted, acceptances, placedAcceptances, toAcceptanceFile);
  await check(reviewFolder, snapshot.review, ["marker", "of another text"], validReviews);
  return found;
}

function placedAcceptances({ source }: HiveContent, _: LocaleCode, file: FileName, texts: Texts): Texts {
  return placedIn(source.get(file), texts);
}

/** Stale markers or accepted findings of unlisted locales. They are kept as long as the locale still has a folder of translations. */
function* findForeign({ tree, settings }: Snapshot, folder: MarkerFolder): Generator<MisplacedMarkers> {
  const known = new Set<string>(settings.targetLocales.map(({ code }) => code));
  for (const [name, entry] of folderAt(tree, [folder])?.entries ?? []) {
    if (known.has(name)) continue;
    const writes: FileWrite[] = [];
    if (
      entry.kind === "folder" &&
      isStoredLocaleCode(name) &&
      folderAt(tree, ["locales", name]) === undefined
    ) {
      for (const { path } of filesOf(entry.tree)) {
        const file = path.slice(0, -".json".length);
        if (isFileName(file)) writes.push({ locale: name, file, content: undefined });
      }
    }
    yield { folder, problem: `${folder}/${name} does not belong to a target locale`, writes };
  }
}
