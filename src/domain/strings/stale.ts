/**
 * Stale translations, which were kept although their source text changed. A stale translation has a stale marker, the
 * source text that it was made for. A translation without a marker was made for the current source text.
 */
import {
  sourceWrites,
  translationsOf,
  type HiveContent,
  type KeyChange,
  type Plan,
  type TextAddress,
} from "./hive-content.ts";
import { groupBy, groupInSteps } from "../group-by.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { isFileName, type FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import type { StringAddress } from "../move.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { Acceptances } from "../sidecars/accepted.ts";
import type { Reviews } from "../sidecars/review.ts";
import {
  countingValues,
  valueAt,
  type FileValues,
  type Sidecar,
  type ValueWrite,
} from "../sidecars/sidecar.ts";
import { staleKind, type StaleMarkers } from "../sidecars/stale.ts";
import { noTexts, translatableTexts, type StringFile } from "./string-file.ts";

/** A Hive's content with what is stored beside its texts. */
export interface ContentWithMarkers {
  readonly content: HiveContent;
  readonly markers: StaleMarkers;
  readonly accepted?: Acceptances;
  readonly reviews?: Reviews;
}

/** The source text that a translation was made for; undefined where there is no source string. */
export function translatedFromAt(
  { content, markers }: ContentWithMarkers,
  locale: LocaleCode,
  { file, key }: StringAddress,
): string | undefined {
  return valueAt(markers, locale, { file, key }) ?? translatableTexts(content.source.get(file)).get(key);
}

/** Gives the source text that a translation was made for, if it is known without its marker. */
export type TranslatedFrom = (
  locale: LocaleCode,
  file: FileName,
  key: string,
  translation: string,
) => string | undefined;

/** The values of a file that count beside the texts of a Hive. */
export function countingIn<V>(
  kind: Sidecar<V>,
  hive: HiveContent,
  { locale, file }: Pick<TextAddress, "locale" | "file">,
  values: FileValues<V> | undefined,
): Map<string, V> {
  const texts = translationsOf(hive, locale).get(file) ?? noTexts;
  return countingValues(kind, values, translatableTexts(hive.source.get(file)), texts);
}

/** A change of a Hive: its keys, and the files that hold them then. */
export type ContentChange = Pick<Plan<unknown>, "changes" | "writes">;

/** A source text, or the one that a plural form would have, before a change and after it. */
interface SourceChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The source texts that a change of a file changes, also the source texts of plural forms that only translations have. */
async function sourceChanges(
  changed: readonly KeyChange[],
  before: StringFile | undefined,
  after: StringFile | undefined,
): Promise<ReadonlyMap<string, SourceChange>> {
  const was = translatableTexts(before);
  const is = translatableTexts(after);
  const found = new Map<string, SourceChange>();
  const add = (key: string): void => {
    const change = { before: was.get(key), after: is.get(key) };
    if (change.before !== change.after) found.set(key, change);
  };
  for (const { key } of changed) {
    if (isStepDone()) await pause();
    add(key);
  }
  for (const plurals of [before?.plurals, after?.plurals]) {
    for (const { added } of plurals?.strings.values() ?? []) {
      for (const key of added) {
        add(key);
      }
    }
  }
  return found;
}

/**
 * Updates markers after changes of keys, by the same rules for every operation: an unchanged translation keeps the source
 * text that it was made for, a new one is made for the current source text, and there is a marker if these differ. A
 * plural form that the source lacks is made for the text of `other`.
 * @param hive before the changes; with all translations of the locales whose markers can change.
 * @param markers of the same locales, before the changes.
 * @param translatedFrom knows about restored translations and source texts.
 */
export async function updateStaleMarkers(
  hive: HiveContent,
  markers: StaleMarkers,
  { changes, writes }: ContentChange,
  translatedFrom: TranslatedFrom = () => undefined,
): Promise<readonly ValueWrite<string>[]> {
  await pause();
  const sourceCode = hive.settings.sourceLocale.code;
  const written = sourceWrites(hive.settings, writes);
  // The most frequent case: new strings in a Hive without markers need no markers.
  const hasMarkers = [...markers.values()].some((files) => files.size > 0);
  const onlyNew = changes.every(({ locale, change }) => locale === sourceCode && change === "created");
  const hasForms = [...written.keys()].some((file) => hive.source.get(file)?.plurals !== undefined);
  if (onlyNew && !hasMarkers && !hasForms) return [];
  const byLocale = await groupInSteps(changes, ({ locale }) => locale);
  const ofSource = await groupInSteps(byLocale.get(sourceCode) ?? [], ({ file }) => file);
  const sourceChanged = new Map<FileName, ReadonlyMap<string, SourceChange>>();
  for (const [file, content] of written) {
    await pause();
    const keys = await sourceChanges(ofSource.get(file) ?? [], hive.source.get(file), content);
    if (keys.size > 0) sourceChanged.set(file, keys);
  }

  const markerWrites: ValueWrite<string>[] = [];
  for (const locale of new Set([...hive.translations.keys(), ...markers.keys(), ...byLocale.keys()])) {
    if (locale === sourceCode) continue;
    const byFile = groupBy(byLocale.get(locale) ?? [], ({ file }) => file);
    for (const file of new Set([...sourceChanged.keys(), ...byFile.keys()])) {
      const stored = markers.get(locale)?.get(file) ?? noTexts;
      const texts = hive.translations.get(locale)?.get(file) ?? noTexts;
      if (stored.size + texts.size === 0 && !byFile.has(file)) continue;
      await pause();
      const changed = new Map<string, string | undefined>();
      for (const [key, { before, after }] of sourceChanged.get(file) ?? []) {
        if (isStepDone()) await pause();
        const text = before === undefined || after === undefined ? undefined : texts.get(key);
        const marker =
          text === undefined
            ? undefined
            : (translatedFrom(locale, file, key, text) ?? stored.get(key) ?? before);
        changed.set(key, marker === after ? undefined : marker);
      }
      const source = translatableTexts(written.has(file) ? written.get(file) : hive.source.get(file));
      for (const { key, after: text } of byFile.get(file) ?? []) {
        if (isStepDone()) await pause();
        const marker = text === undefined ? undefined : translatedFrom(locale, file, key, text);
        changed.set(key, marker === source.get(key) ? undefined : marker);
      }
      if ([...changed].every(([key, marker]) => stored.get(key) === marker)) continue;
      await pause();
      const after = countingIn(staleKind, hive, { locale, file }, stored);
      for (const [key, marker] of changed) {
        if (isStepDone()) await pause();
        if (marker === undefined) after.delete(key);
        else after.set(key, marker);
      }
      await pause();
      markerWrites.push({ kind: staleKind, locale, file, values: after });
      await pause();
    }
  }
  return markerWrites;
}

export interface ConfirmCounts {
  readonly confirmed: number;
  /** Keys without a stale translation. */
  readonly unknown: number;
}

/** Removes the markers of some keys of a file, and names the translations that had one; a repeated key counts once. */
export function planConfirmation(
  hive: HiveContent,
  markers: StaleMarkers,
  {
    locale,
    file,
    keys,
  }: { readonly locale: LocaleCode; readonly file: string; readonly keys: Iterable<string> },
): {
  readonly counts: ConfirmCounts;
  readonly writes: readonly ValueWrite<string>[];
  readonly confirmed: readonly TextAddress[];
} {
  const wanted = new Set(keys);
  const stored = isFileName(file) ? markers.get(locale)?.get(file) : undefined;
  if (!isFileName(file) || stored === undefined)
    return { counts: { confirmed: 0, unknown: wanted.size }, writes: [], confirmed: [] };
  const valid = countingIn(staleKind, hive, { locale, file }, stored);
  const left = filtered(valid, (key) => !wanted.has(key));
  const confirmed = valid.size - left.size;
  const writes = confirmed > 0 ? [{ kind: staleKind, locale, file, values: left }] : [];
  const addresses = [...wanted].filter((key) => valid.has(key)).map((key) => ({ locale, file, key }));
  return { counts: { confirmed, unknown: wanted.size - confirmed }, writes, confirmed: addresses };
}
