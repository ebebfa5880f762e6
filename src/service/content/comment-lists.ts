/** Lists comments on strings. */
import { hash, randomUUID } from "node:crypto";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { localesOf, targetLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { Notes } from "../../domain/notes/note.ts";
import { isAbout, isOpen, noThread, type Comment } from "../../domain/notes/thread.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { nameOf } from "../access.ts";
import type { StorageBase } from "../storage.ts";
import { atHead, notesVersion, type Versioned } from "./queries.ts";

/** A comment with its string. */
export interface PlacedComment extends Omit<Comment, "locale">, StringAddress {
  /** Names it in its Hive. */
  readonly id: string;
  /** The language that it is about; undefined for all. */
  readonly locale?: Locale;
  /** The name of whoever made it; undefined where that is not known. */
  readonly author?: string;
}

export interface CommentQuery extends OffsetLimit {
  /** Only questions that are open, or those that are not. */
  readonly open?: boolean;
  /** Only questions, or what is none. */
  readonly ask?: boolean;
  /** A code as the caller gave it: only what is about that language, or all. */
  readonly locale?: string;
  readonly file?: string;
  readonly key?: string;
  /** Only what this person or token has said. */
  readonly by?: string;
  /** Only what others than this person or token have said. */
  readonly notBy?: string;
}

/**
 * A page of the comments on a Hive's strings, the newest first.
 * @throws SkepError `invalid` on `locale`; `content-invalid` when notes cannot be read.
 */
export async function listComments(
  storage: StorageBase,
  branch: HiveBranch,
  { locale: code, ...query }: CommentQuery,
): Promise<Versioned<Page<PlacedComment>>> {
  const snapshot = await storage.hives.at(branch).snapshot();
  const locale = code === undefined ? undefined : targetLocale(snapshot.settings, code, slugOf(branch)).code;
  // Persons change their names: no commit tells that. There is no version during a change.
  const people = storage.registry.version.current() ?? randomUUID();
  const version = [notesVersion(snapshot), people, query.by, query.notBy].join(":");
  const read = async (): Promise<Page<PlacedComment>> => {
    const found = await findComments(snapshot, await snapshot.values.notes.files(), { ...query, locale });
    const page = pageOf(found, query);
    return { ...page, entries: await withAuthors(storage, page.entries) };
  };
  return { ...atHead(branch, snapshot), version, read };
}

/** The comments on a string, in their order. Notes that cannot be read have none. @param key of any of its forms. */
export async function threadOf(
  storage: StorageBase,
  branch: HiveBranch,
  { file, key }: { readonly file: string; readonly key: string },
): Promise<readonly PlacedComment[]> {
  const snapshot = await storage.hives.at(branch).snapshot();
  const { files } = await snapshot.values.notes.readable();
  return withAuthors(storage, (await findComments(snapshot, files, { file, key })).toReversed());
}

/** How many comments a Hive has, and its open questions. */
export interface CommentCounts {
  readonly all: number;
  readonly open: number;
  /** The open questions by who asks; undefined where that is not known. */
  readonly openOf: ReadonlyMap<string | undefined, number>;
}

/** Counts the comments of a Hive. Notes that cannot be read have none. */
export async function countComments({ hives }: StorageBase, branch: HiveBranch): Promise<CommentCounts> {
  const snapshot = await hives.at(branch).snapshot();
  const { files } = await snapshot.values.notes.readable();
  const found = await findComments(snapshot, files, {});
  const open = found.filter(isOpen);
  const openOf = new Map<string | undefined, number>();
  for (const { by } of open) openOf.set(by, (openOf.get(by) ?? 0) + 1);
  return { all: found.length, open: open.length, openOf };
}

type Wanted = Omit<CommentQuery, keyof OffsetLimit | "locale"> & { readonly locale?: LocaleCode };

/** The comments that a query wants, the newest first. */
async function findComments(
  { index: { source }, settings }: Pick<Snapshot, "index" | "settings">,
  notes: Notes,
  { open, ask, locale, file: onlyFile, key: onlyKey, by, notBy }: Wanted,
): Promise<readonly PlacedComment[]> {
  const found: PlacedComment[] = [];
  for (const [file, strings] of source) {
    const here = notes.get(file);
    if (here === undefined || (onlyFile !== undefined && onlyFile !== file)) continue;
    const texts = translatableTexts(strings);
    const item = onlyKey === undefined ? undefined : itemOf(settings, strings, onlyKey);
    for (const [key, { thread = noThread }] of here) {
      if (isStepDone()) await pause();
      if (thread.length === 0 || !texts.has(key)) continue;
      if (item !== undefined && itemOf(settings, strings, key) !== item) continue;
      for (const one of thread.toReversed()) {
        if (open !== undefined && (one.ask !== true || isOpen(one) !== open)) continue;
        if (ask !== undefined && (one.ask === true) !== ask) continue;
        if (locale !== undefined && !isAbout(one, locale)) continue;
        if (by !== undefined && one.by !== by) continue;
        if (notBy !== undefined && one.by === notBy) continue;
        found.push(placed(settings, { file, key }, one));
      }
    }
  }
  return found.toSorted(({ at: one = "" }, { at: other = "" }) => Number(one < other) - Number(one > other));
}

export function placed(
  settings: HiveSettings,
  at: StringAddress,
  { locale, ...comment }: Comment,
): PlacedComment {
  const known = localesOf(settings).find(({ code }) => code === locale);
  return { ...comment, ...at, id: publicId(at, comment), locale: locale && (known ?? { code: locale }) };
}

/** The id of a comment in its Hive. Questions from before there were comments have the same id in all strings. */
export function publicId({ file, key }: StringAddress, { id, at }: Pick<Comment, "id" | "at">): string {
  return at === undefined ? `${id}-${hash("sha256", `${file}\0${key}`, "hex").slice(0, 16)}` : id;
}

export async function withAuthors(
  storage: StorageBase,
  comments: readonly PlacedComment[],
): Promise<readonly PlacedComment[]> {
  const names = new Map<string, string>();
  for (const { by } of comments)
    if (by !== undefined && !names.has(by)) names.set(by, await nameOf(storage, by));
  return comments.map((one) => (one.by === undefined ? one : { ...one, author: names.get(one.by) }));
}

/** The key by which a string is commented on: of the form `other`, if it has plural forms. */
export function itemOf(settings: HiveSettings, strings: StringFile, key: string): string {
  const form = new LocalePlurals(settings.sourceLocale.code, settings).formOf(strings, key);
  const item = form && `${form.string.stem}other`;
  return item !== undefined && translatableTexts(strings).has(item) ? item : key;
}
