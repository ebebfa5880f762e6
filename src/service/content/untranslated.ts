/** Lists the texts that are left to translate. */
import type { Page } from "../../domain/pagination.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../domain/move.ts";
import { hasTag, keptKeys, notesAt, type WantedTags } from "../../domain/notes/note-tags.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { withPictures, type ShownNotes } from "../../domain/notes/note-lines.ts";
import {
  listUntranslated,
  type UntranslatedText,
  type UntranslatedQuery,
} from "../../domain/queries/untranslated.ts";
import type { StorageBase } from "../storage.ts";
import { contentOf, localeAt, snapshotOf, type Versioned, notesVersion, readAt } from "./queries.ts";

export interface UntranslatedQuestion extends Omit<UntranslatedQuery, "isWanted" | "isKept"> {
  readonly tags?: WantedTags;
  /** A code as the caller gave it. */
  readonly locale: string;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  readonly signal?: AbortSignal;
}

export interface NotedPage extends Page<UntranslatedText> {
  readonly notes: readonly (ShownNotes | undefined)[];
}

/**
 * A page of the missing and stale texts of a locale, without texts that are to be kept as they are. The locale is looked up
 * as in an export.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it or it is the source locale;
 * `content-invalid` when stale markers cannot be read.
 */
export async function findUntranslated(
  { hives }: StorageBase,
  branch: HiveBranch,
  { locale: text, at, tags, signal, ...query }: UntranslatedQuestion,
): Promise<Versioned<NotedPage>> {
  const { snapshot, isImmutable, ...basis } = await snapshotOf(hives, branch, at, signal);
  const { settings } = snapshot;
  const stale = snapshot.values.stale;
  const found = await localeAt(hives, branch, { settings, text, at });
  const { locale = targetLocale(settings, text, slugOf(branch)), isOfCommit } = found;
  // The source locale, which has nothing to translate, is refused as on writes.
  if (locale.code === settings.sourceLocale.code) targetLocale(settings, text, slugOf(branch));
  const codes = [locale.code];
  const read = async (): Promise<NotedPage> => {
    const content = await contentOf(snapshot, locale, at);
    const markers = await readAt(at, () => stale.read(codes));
    const { files: notes } = await snapshot.values.notes.readable();
    const kept = keptKeys(notes, content);
    const noteOf = (address: StringAddress): StringNotes | undefined =>
      notesAt(notes, content.source, address);
    const isWanted = tags && ((address: StringAddress) => hasTag(noteOf(address), tags));
    const page = await listUntranslated(content, locale, { markers, kept }, { ...query, isWanted, signal });
    const show = withPictures((await snapshot.pictures.readable()).pictures);
    const shown: (StringNotes | undefined)[] = [];
    for (const one of page.entries) shown.push(await show(noteOf(one), one));
    return { ...page, notes: shown };
  };
  return {
    ...basis,
    isImmutable: isImmutable === true && isOfCommit,
    // A custom code can have become another locale's, which the settings at the commit do not tell.
    version: `${locale.code}:${snapshot.version(codes)}:${stale.version(codes)}:${notesVersion(snapshot)}`,
    read,
  };
}
