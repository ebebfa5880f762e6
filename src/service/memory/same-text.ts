/** Copies a string's translation to other strings with the same source text. */
import { hash } from "node:crypto";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { groupBy } from "../../domain/group-by.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale, type LocaleCode } from "../../domain/hives/locale.ts";
import {
  othersWithText,
  withOtherTranslation,
  type TranslatedString,
} from "../../domain/memory/same-text.ts";
import type { StringAddress } from "../../domain/move.ts";
import { keptKeys } from "../../domain/notes/note-tags.ts";
import { isFileName } from "../../domain/names.ts";
import { translationInto } from "../../domain/queries/string-search.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { planImportInto } from "../content/imports.ts";
import { seenConflict } from "../content/translation-edit.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";

interface Named {
  readonly file: string;
  readonly key: string;
}

export interface SameText {
  readonly translation: string;
  /** The other strings whose translation is another one, or missing. */
  readonly others: readonly TranslatedString[];
  /** A hash of all these texts, which a request sends back. */
  readonly seen: string;
}

/**
 * The other strings with the source text of a string whose translations differ from it, by target locale. Locales in which
 * the string has no translation or a stale one are left out.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function sameTexts(
  { hives }: StorageBase,
  branch: HiveBranch,
  { file, key }: Named,
): Promise<ReadonlyMap<LocaleCode, SameText>> {
  const found = new Map<LocaleCode, SameText>();
  if (!isFileName(file)) return found;
  const snapshot = await hives.at(branch).snapshot();
  const strings = await othersWithText(snapshot.index.source, { file, key });
  if (strings.length === 0) return found;
  for (const locale of snapshot.settings.targetLocales) {
    const same = await sameTextIn(snapshot, locale, { file, key }, strings);
    if (same !== undefined) found.set(locale.code, same);
  }
  return found;
}

async function sameTextIn(
  snapshot: Snapshot,
  { code }: Locale,
  at: StringAddress,
  strings: readonly StringAddress[],
): Promise<SameText | undefined> {
  const [content, markers] = await Promise.all([
    snapshot.content([code]),
    snapshot.values.stale.read([code]),
  ]);
  const { state, text } = translationInto(content, markers, code, at);
  if (text === undefined || state !== "translated") return undefined;
  const kept = keptKeys((await snapshot.values.notes.readable()).files, content);
  const open = strings.filter((other) => kept.get(other.file)?.has(other.key) !== true);
  const others = withOtherTranslation(content, code, open, text);
  if (others.length === 0) return undefined;
  const seen = hash("sha256", JSON.stringify([at, text, others]), "base64url");
  return { translation: text, others, seen };
}

export interface RepeatedTranslation extends Named {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly seen: SameText["seen"];
}

/**
 * Copies a string's translation to the other strings with its source text, as one commit.
 * @returns the number of translations that were written.
 * @throws SkepError `text-conflict` when one of the texts is not as it was seen; `invalid` on `locale`.
 */
export async function repeatTranslation(
  storage: ContentStorage,
  branch: HiveBranch,
  { locale: text, file, key, seen }: RepeatedTranslation,
  context: WriteContext,
): Promise<CommitResult<number>> {
  return storage.writer.commit(branch, context, async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const at = isFileName(file) ? { file, key } : undefined;
    const strings = at === undefined ? [] : await othersWithText(snapshot.index.source, at);
    const same = at && (await sameTextIn(snapshot, locale, at, strings));
    if (same?.seen !== seen) throw seenConflict(branch, snapshot, { locale: text, file, key });
    const { translation, others } = same;
    const files = Array.from(
      groupBy(others, (other) => other.file),
      ([name, keys]) => [name, new Map(keys.map((other) => [other.key, translation]))] as const,
    );
    const planned = await planImportInto(branch, {
      locale: codeOf(locale),
      files: new Map(files),
      overwriteStrategy: "overwrite",
      isStrict: true,
    })(snapshot);
    return { ...planned, result: others.length };
  });
}
