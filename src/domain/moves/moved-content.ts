/** The content of a Hive after moves: source strings, and with them their translations and stale markers. */
import { AddressMap, type Move, type TranslationMoves, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { changeOf, translationsAt } from "../strings/content-diff.ts";
import type { LocaleCode } from "../hives/locale.ts";
import {
  withWrites,
  type FileWrite,
  type HiveContent,
  type KeyChange,
  type SourceFiles,
} from "../strings/hive-content.ts";
import {
  translatedFromAt,
  updateStaleMarkers,
  type ContentWithMarkers,
  type TranslatedFrom,
} from "../strings/stale.ts";
import { movedInLocales, withValueWrites, type ValueWrite } from "../sidecars/sidecar.ts";
import { translatableTexts, type Texts } from "../strings/string-file.ts";
import { contentWrites } from "../strings/translation-writes.ts";
import { movedSource } from "./moved-source.ts";

export interface MovedContent extends ContentWithMarkers {
  readonly moves: readonly Move[];
  readonly writes: readonly FileWrite[];
  readonly staleMarkers: readonly ValueWrite<string>[];
  readonly translations: number;
  /** Translations of plural forms whose plural string was separated by the moves: no key is left for them. */
  readonly lost: readonly KeyChange[];
  /** Where the moves bring what belongs to strings. */
  readonly addresses: TranslationMoves;
}

/**
 * Moves strings with their translations and stale markers. Plural forms that only translations have go with the form
 * `other`, whose text is their source text; they are lost where they are no plural forms at their new place.
 * @param moves from strings that there are, to places that are free or become so.
 */
export async function moveContent(marked: ContentWithMarkers, moves: readonly Move[]): Promise<MovedContent> {
  if (moves.length === 0) {
    const nothing = { moves, writes: [], staleMarkers: [], translations: 0, lost: [] };
    return { ...marked, ...nothing, addresses: translationMovesOf(marked.content.source, []) };
  }
  const { content, markers } = marked;
  const source = await movedSource(content.source, moves);
  const translationMoves = translationMovesOf(content.source, moves);
  const changed = [...translationMoves.cleared.files].filter(
    (file) => source.get(file) !== content.source.get(file),
  );
  const changes: KeyChange[] = [];
  const lost: KeyChange[] = [];
  let translations = 0;
  for (const locale of content.translations.keys()) {
    await pause();
    const moved = movedTranslations(content, source, locale, translationMoves);
    for (const change of moved.changes) changes.push(change);
    for (const change of moved.lost) lost.push(change);
    translations += moved.count;
  }
  const files = new Map(changed.map((file) => [file, source.get(file)]));
  const writes = await contentWrites(content, files, changes);
  const translatedFrom: TranslatedFrom = (locale, file, key) => {
    const origin = translationMoves.from.get({ file, key });
    return origin && translatedFromAt(marked, locale, origin);
  };
  const staleMarkers = await updateStaleMarkers(content, markers, { changes, writes }, translatedFrom);
  return {
    content: withWrites(content, writes),
    markers: withValueWrites(markers, staleMarkers),
    reviews: marked.reviews && movedInLocales(marked.reviews, translationMoves),
    moves,
    writes,
    staleMarkers,
    translations,
    lost,
    addresses: translationMoves,
  };
}

/** Where moves of strings bring their translations, also translations of plural forms that the source lacks. */
export function translationMovesOf(source: SourceFiles, moves: readonly Move[]): TranslationMoves {
  const to = new AddressMap<StringAddress>();
  const from = new AddressMap<StringAddress>();
  const cleared = new AddressMap<true>();
  const addMove = (start: StringAddress, end: StringAddress): void => {
    to.set(start, end);
    from.set(end, start);
    cleared.set(start, true).set(end, true);
  };
  for (const move of moves) addMove(move.from, move.to);
  // If a string has the name of a plural form, that name's translations are the string's own.
  const isString = (address: StringAddress): boolean =>
    from.has(address) || (source.get(address.file)?.texts.has(address.key) === true && !to.has(address));
  for (const move of moves) {
    const { file, key } = move.from;
    const form = key.endsWith(other) ? source.get(file)?.plurals?.formOf(key) : undefined;
    if (form?.category !== other) continue;
    const stem = move.to.key.endsWith(other) ? move.to.key.slice(0, -other.length) : undefined;
    for (const added of form.string.added) {
      const start = { file, key: added };
      cleared.set(start, true);
      if (stem === undefined) continue;
      const end = { file: move.to.file, key: stem + added.slice(form.string.stem.length) };
      if (!isString(end)) addMove(start, end);
    }
  }
  return { to, from, cleared };
}

const other = "other";

interface MovedTranslations {
  readonly changes: readonly KeyChange[];
  readonly lost: readonly KeyChange[];
  readonly count: number;
}

function movedTranslations(
  hive: HiveContent,
  source: SourceFiles,
  locale: LocaleCode,
  { to, from, cleared }: TranslationMoves,
): MovedTranslations {
  const present = new Map<FileName, Texts>();
  for (const file of cleared.files) present.set(file, translationsAt(hive, locale, file));
  const changes: KeyChange[] = [];
  const lost: KeyChange[] = [];
  let count = 0;
  const lose = ({ file, key }: StringAddress, before: string): void =>
    void lost.push({ change: "deleted", locale, file, key, before });
  for (const [file, texts] of present) {
    const keys = translatableTexts(source.get(file));
    const torn = [...texts.keys()].filter((key) => !keys.has(key) && !cleared.has({ file, key }));
    for (const key of [...cleared.of(file).keys(), ...torn]) {
      const address = { file, key };
      const before = texts.get(key);
      const origin = from.get(address);
      const coming = origin && present.get(origin.file)?.get(origin.key);
      const after = keys.has(key) ? coming : undefined;
      if (after !== undefined) count++;
      else if (origin !== undefined && coming !== undefined) lose(origin, coming);
      if (before !== undefined && !to.has(address)) lose(address, before);
      if (before === undefined && after === undefined) continue;
      changes.push(changeOf({ key, before, after }, { locale, file }, "cleared"));
    }
  }
  return { changes, lost, count };
}

/** Writes of files of one kind with later ones over earlier ones: of each file the last. */
export function lastWriteWins<W extends Pick<FileWrite, "locale" | "file">>(
  ...lists: readonly (readonly W[])[]
): readonly W[] {
  const last = new Map<string, W>();
  for (const write of lists.flat()) last.set(`${write.locale}/${write.file}`, write);
  return [...last.values()];
}
