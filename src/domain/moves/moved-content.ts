/** The content of a Hive after moves: source strings, and with them their translations and stale markers. */
import { AddressMap, type Move, type StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { translationsAt } from "../strings/content-diff.ts";
import { translationFile } from "../strings/group-edit.ts";
import type {
  FileWrite,
  HiveContent,
  KeyChange,
  SourceFiles,
  TranslationFiles,
} from "../strings/hive-content.ts";
import { toMarkerWrite, type MarkerFiles, type StaleMarkers } from "../strings/stale.ts";
import { sameGroup, translatableTexts, type Texts } from "../strings/string-file.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { movedSource } from "./moved-source.ts";

export interface MovedContent {
  readonly moves: readonly Move[];
  readonly content: HiveContent;
  /** The files that the moves change. */
  readonly writes: readonly FileWrite[];
  /** How many translations went with their strings. */
  readonly translations: number;
  /** Translations that have no place any more: of plural forms whose plural string was torn apart. */
  readonly lost: readonly KeyChange[];
  /** Where keys of translations went, those of plural forms too. */
  readonly routes: Routes;
}

/** Where the translations of moved strings go. */
export interface Routes {
  readonly to: AddressMap<StringAddress>;
  /** The keys whose translations and markers stay nowhere: those that left, and those that others come to. */
  readonly cleared: AddressMap<true>;
  /** The files that have any of these. */
  readonly files: ReadonlySet<FileName>;
}

/**
 * Moves strings with their translations. Plural forms that only translations have go with the form `other`, whose text is
 * their source text; they are lost where they are no plural forms at their new place.
 * @param moves from strings that there are, to places that are free or become so.
 */
export function* moveContent(hive: HiveContent, moves: readonly Move[]): Steps<MovedContent> {
  const source = yield* movedSource(hive.source, moves);
  const routes = yield* routesOf(hive.source, moves);
  const sourceCode = hive.settings.sourceLocale.code;
  const writes: FileWrite[] = [];
  for (const file of routes.files) {
    const content = source.get(file);
    if (content !== hive.source.get(file)) writes.push({ locale: sourceCode, file, content });
  }
  const lost: KeyChange[] = [];
  let translations = 0;
  const after = new Map<LocaleCode, TranslationFiles>();
  for (const locale of hive.translations.keys()) {
    const moved = yield* movedTranslations(hive, source, locale, routes);
    after.set(locale, moved.files);
    translations += moved.count;
    for (const write of moved.writes) writes.push(write);
    for (const one of moved.lost) lost.push(one);
  }
  return { moves, content: { ...hive, source, translations: after }, writes, translations, lost, routes };
}

function* routesOf(source: SourceFiles, moves: readonly Move[]): Steps<Routes> {
  const to = new AddressMap<StringAddress>();
  const taken = new AddressMap<true>();
  const cleared = new AddressMap<true>();
  for (const move of moves) {
    if (isStepDone()) yield;
    to.set(move.from, move.to);
    taken.set(move.to, true);
    cleared.set(move.from, true).set(move.to, true);
  }
  // A string of a form's name has translations of its own.
  const isString = (place: StringAddress): boolean =>
    taken.has(place) || (source.get(place.file)?.texts.has(place.key) === true && !to.has(place));
  for (const move of moves) {
    if (isStepDone()) yield;
    const { file, key } = move.from;
    const form = key.endsWith(other) ? source.get(file)?.plurals?.formOf(key) : undefined;
    if (form?.category !== other) continue;
    const stem = move.to.key.endsWith(other) ? move.to.key.slice(0, -other.length) : undefined;
    for (const added of form.string.added) {
      cleared.set({ file, key: added }, true);
      if (stem === undefined) continue;
      const target = { file: move.to.file, key: stem + added.slice(form.string.stem.length) };
      if (isString(target)) continue;
      to.set({ file, key: added }, target);
      cleared.set(target, true);
    }
  }
  return { to, cleared, files: new Set(cleared.files) };
}

const other = "other";

interface MovedTranslations {
  readonly files: TranslationFiles;
  readonly writes: readonly FileWrite[];
  readonly count: number;
  readonly lost: readonly KeyChange[];
}

function* movedTranslations(
  hive: HiveContent,
  source: SourceFiles,
  locale: LocaleCode,
  { to, cleared, files }: Routes,
): Steps<MovedTranslations> {
  const stored = hive.translations.get(locale) ?? new Map<FileName, Texts>();
  const present = new Map<FileName, Texts>();
  const withOrphans = new Set<FileName>();
  const arriving = new Map<FileName, [key: string, text: string, from: StringAddress][]>();
  for (const file of files) {
    yield;
    const texts = translationsAt(hive, locale, file);
    if (texts !== stored.get(file)) withOrphans.add(file);
    present.set(file, texts);
    for (const [key, target] of to.of(file)) {
      const text = texts.get(key);
      if (text === undefined) continue;
      const some = arriving.get(target.file) ?? [];
      some.push([target.key, text, { file, key }]);
      arriving.set(target.file, some);
    }
  }
  const after = new Map(stored);
  const writes: FileWrite[] = [];
  const lost: KeyChange[] = [];
  let count = 0;
  const lose = ({ file, key }: StringAddress, before: string): void => {
    lost.push({ change: "deleted", locale, file, key, before });
  };
  for (const [file, texts] of present) {
    yield;
    const gone = cleared.of(file);
    const keys = translatableTexts(source.get(file));
    const left = filtered(texts, (key) => !gone.has(key) && keys.has(key));
    for (const [key, text] of texts) {
      if (!left.has(key) && !to.has({ file, key })) lose({ file, key }, text);
    }
    for (const [key, text, from] of arriving.get(file) ?? []) {
      if (keys.has(key)) {
        left.set(key, text);
        count++;
      } else lose(from, text);
    }
    if (stored.get(file) === undefined && left.size === 0) continue;
    yield;
    // Where no translation has come or gone, only the shape of the file may have changed.
    const isEqual = left.size === texts.size && !arriving.has(file) && !withOrphans.has(file);
    const content = translationFile(source.get(file), left);
    if (content === undefined) after.delete(file);
    else after.set(file, content.texts);
    yield;
    const old = isEqual ? translationFile(hive.source.get(file), texts) : undefined;
    const isSame = old && content && sameGroup(old.group, content.group);
    if (isSame !== true) writes.push({ locale, file, content });
  }
  return { files: after, writes, count, lost };
}

export interface MovedMarkers {
  readonly markers: StaleMarkers;
  readonly writes: readonly FileWrite[];
}

/** Moves stale markers with the translations that they belong to. */
export function* moveMarkers(markers: StaleMarkers, { to, cleared, files }: Routes): Steps<MovedMarkers> {
  const after = new Map<LocaleCode, MarkerFiles>();
  const writes: FileWrite[] = [];
  for (const [locale, stored] of markers) {
    const changed = new Map<FileName, Map<string, string>>();
    for (const file of files) {
      yield;
      const gone = cleared.of(file);
      const texts = stored.get(file);
      if (texts !== undefined)
        changed.set(
          file,
          filtered(texts, (key) => !gone.has(key)),
        );
    }
    for (const file of files) {
      for (const [key, marker] of stored.get(file) ?? []) {
        const target = to.get({ file, key });
        if (target === undefined) continue;
        const texts = changed.get(target.file) ?? new Map<string, string>();
        changed.set(target.file, texts.set(target.key, marker));
      }
    }
    const all = new Map(stored);
    for (const [file, texts] of changed) {
      yield;
      if (texts.size === 0) all.delete(file);
      else all.set(file, texts);
      writes.push(yield* toMarkerWrite(locale, file, texts));
    }
    after.set(locale, all);
  }
  return { markers: after, writes };
}

/** Writes of files with later ones over earlier ones: of each file the last. */
export function lastWrites(...lists: readonly (readonly FileWrite[])[]): readonly FileWrite[] {
  const last = new Map<string, FileWrite>();
  for (const write of lists.flat()) last.set(`${write.locale}/${write.file}`, write);
  return [...last.values()];
}
