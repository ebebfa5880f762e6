/**
 * Values that a Hive holds beside its texts: previous source texts, reviews, accepted findings, notes. A kind of them is
 * declared once, as a {@link Sidecar}; the functions here read, write, move and merge the values of any kind.
 */
import { filtered } from "../filtered.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { AddressMap, type StringAddress, type TranslationMoves } from "../move.ts";
import { storedPath, type FileName } from "../names.ts";
import { emptyRecord, isRecord } from "../record.ts";
import type { Side, Sides } from "../sides.ts";
import { isStepDone, pause } from "../../slices.ts";

/** The texts that a value lies beside; undefined where there is none. */
export interface TextsBeside {
  readonly source: string | undefined;
  /** The translation; undefined for a value of a string. */
  readonly text: string | undefined;
}

/** A kind of values. Its stored form is a part of the format of Hives: see docs/data-model.md. */
export interface Sidecar<V> {
  /** Its folder in a Hive's tree, which is also its name. */
  readonly folder: string;
  /**
   * What has a value: a translation, in `<folder>/<locale>/<file>.json`, or a string in all locales, in
   * `<folder>/<file>.json`.
   */
  readonly by: "translation" | "string";
  /** What messages call one value, and what is wrong with one that does not count: `marker`, `of another text`. */
  readonly words: readonly [thing: string, fault: string];
  /** Reads a value of JSON. @throws Error for anything else. */
  parse(stored: unknown): V;
  /** The value as JSON: equal values have equal JSON. */
  toJson(value: V): unknown;
  isSame(one: V, other: V): boolean;
  /** Whether a value means something beside these texts. One that does not is passed over, and removed when it can be. */
  counts(value: V, texts: TextsBeside): boolean;
  /** Whether values that count depend on translations. */
  readonly countsByText: boolean;
  /** Whether writes pass over a file that cannot be read, as it stands in nothing's way. Otherwise they are refused. */
  readonly isOptional: boolean;
  /** Whether a difference is not worth a commit of its own; without it, each is. */
  isTrivial?(before: V | undefined, after: V | undefined): boolean;
  /** What becomes of a value that both sides have changed, differently; without it, ours stays. */
  merge?(sides: Sides<V | undefined>): V | undefined;
}

/** The values of a file by their keys. */
export type FileValues<V> = ReadonlyMap<string, V>;
export type ValueFiles<V> = ReadonlyMap<FileName, FileValues<V>>;
/** Values by target locale; those of strings by the source locale. */
export type LocaleValues<V> = ReadonlyMap<LocaleCode, ValueFiles<V>>;

/** The values of a file after a change; none remove it. */
export interface ValueWrite<V = unknown> {
  readonly kind: Sidecar<V>;
  /** The source locale for values of strings. */
  readonly locale: LocaleCode;
  readonly file: FileName;
  readonly values: FileValues<V>;
}

const noValues = new Map<string, never>();

/** The path of the values of a file in the repository. */
export function valuesPath(
  { folder, by }: Pick<Sidecar<unknown>, "folder" | "by">,
  locale: LocaleCode,
  file: FileName,
): string {
  return by === "string" ? `${folder}/${storedPath(file)}` : `${folder}/${locale}/${storedPath(file)}`;
}

/** Reads the values of a file of JSON. @throws TypeError for anything but an object; what {@link Sidecar.parse} throws. */
export async function parseValues<V>(kind: Sidecar<V>, stored: unknown): Promise<FileValues<V>> {
  await pause();
  if (!isRecord(stored)) throw new TypeError("must be an object");
  const values = new Map<string, V>();
  for (const [key, value] of Object.entries(stored)) {
    if (isStepDone()) await pause();
    values.set(key, kind.parse(value));
  }
  return values;
}

/** The file of some values, with sorted keys, so that equal values make the same blob; undefined where there are none. */
export async function formatValues<V>(kind: Sidecar<V>, values: FileValues<V>): Promise<string | undefined> {
  if (values.size === 0) return undefined;
  await pause();
  const members = emptyRecord<unknown>();
  for (const [key, value] of [...values].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (isStepDone()) await pause();
    members[key] = kind.toJson(value);
  }
  await pause();
  const json = JSON.stringify(members, null, 2);
  await pause();
  return `${json}\n`;
}

/** Whether two values are the same, also if there is none. */
export function isSameValue<V>(kind: Sidecar<V>, one: V | undefined, other: V | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && kind.isSame(one, other));
}

/** The keys whose values differ between two states of a file. */
export function differingKeys<V>(
  kind: Sidecar<V>,
  before: FileValues<V> = noValues,
  after: FileValues<V> = noValues,
): readonly string[] {
  if (before === after) return [];
  const keys: string[] = [];
  for (const [key, value] of after) if (!isSameValue(kind, before.get(key), value)) keys.push(key);
  for (const key of before.keys()) if (!after.has(key)) keys.push(key);
  return keys;
}

interface TextLookup {
  get(key: string): string | undefined;
}

/** The values of a file that count beside its source texts and its translations. */
export function countingValues<V>(
  kind: Sidecar<V>,
  values: FileValues<V> = noValues,
  source: TextLookup,
  texts: TextLookup,
): Map<string, V> {
  return filtered(values, (key, value) =>
    kind.counts(value, { source: source.get(key), text: texts.get(key) }),
  );
}

/** The values after moves of their strings: what belongs to nothing then is left out. */
export function movedValues<V>(files: ValueFiles<V>, { to, cleared }: TranslationMoves): ValueFiles<V> {
  const touched = [...cleared.files];
  if (touched.length === 0 || files.size === 0) return files;
  const after = new Map<FileName, Map<string, V>>();
  const valuesIn = (file: FileName): Map<string, V> => {
    const known = after.get(file);
    if (known !== undefined) return known;
    const left = filtered(files.get(file) ?? noValues, (key) => !cleared.has({ file, key }));
    after.set(file, left);
    return left;
  };
  for (const file of touched) valuesIn(file);
  for (const file of to.files) {
    for (const [key, end] of to.of(file)) {
      const value = files.get(file)?.get(key);
      if (value !== undefined) valuesIn(end.file).set(end.key, value);
    }
  }
  return new Map<FileName, FileValues<V>>([...files, ...after]);
}

/**
 * Applies what one side has changed since the base to the values of the other, whose strings have the same names on all
 * sides.
 * @param whole the side from which the values of a string come as they are, as its text does.
 */
export function mergedValues<V>(
  kind: Sidecar<V>,
  { base, ours, theirs }: Sides<ValueFiles<V>>,
  whole: AddressMap<Side> = new AddressMap(),
): ValueFiles<V> {
  const after = new Map(ours);
  for (const file of new Set([...base.keys(), ...theirs.keys(), ...whole.files])) {
    const [from, to] = [base.get(file) ?? noValues, theirs.get(file) ?? noValues];
    const sideOf = whole.of(file);
    const keys = new Set([...differingKeys<V>(kind, from, to), ...sideOf.keys()]);
    if (keys.size === 0) continue;
    const now = new Map<string, V>(ours.get(file));
    for (const key of keys) {
      const sides = { base: from.get(key), ours: now.get(key), theirs: to.get(key) };
      const isOurs = !isSameValue(kind, sides.ours, sides.base);
      const merged = isOurs ? (kind.merge === undefined ? sides.ours : kind.merge(sides)) : sides.theirs;
      const side = sideOf.get(key);
      const value = side === undefined ? merged : sides[side];
      if (value === undefined) now.delete(key);
      else now.set(key, value);
    }
    after.set(file, now);
  }
  return after;
}

/** The writes that turn values of a locale into others. */
export function changedValues<V>(
  kind: Sidecar<V>,
  locale: LocaleCode,
  before: ValueFiles<V>,
  after: ValueFiles<V>,
): readonly ValueWrite<V>[] {
  const files = new Set([...before.keys(), ...after.keys()]);
  return [...files].flatMap((file) => {
    const values = after.get(file) ?? noValues;
    const isSame = differingKeys<V>(kind, before.get(file), values).length === 0;
    return isSame ? [] : [{ kind, locale, file, values }];
  });
}

/** The writes of one kind. */
export function writesOf<V>(writes: readonly ValueWrite[], kind: Sidecar<V>): readonly ValueWrite<V>[] {
  return writes.filter((write): write is ValueWrite<V> => write.kind === kind);
}

/** Values after some of their files were written. */
export function withValueWrites<V>(all: LocaleValues<V>, writes: readonly ValueWrite<V>[]): LocaleValues<V> {
  const after = new Map(Array.from(all, ([code, files]) => [code, new Map(files)]));
  for (const { locale, file, values } of writes) {
    const files = after.get(locale) ?? new Map<FileName, FileValues<V>>();
    if (values.size === 0) files.delete(file);
    else files.set(file, values);
    after.set(locale, files);
  }
  return after;
}

/** Whether the differences between two states of a file are not worth a commit of their own. */
export function isTrivialChange<V>(
  kind: Sidecar<V>,
  before: FileValues<V> = noValues,
  after: FileValues<V> = noValues,
): boolean {
  return differingKeys(kind, before, after).every(
    (key) => kind.isTrivial?.(before.get(key), after.get(key)) === true,
  );
}

/** The value of a text or string; undefined where there is none. */
export function valueAt<V>(
  all: LocaleValues<V> | undefined,
  locale: LocaleCode,
  { file, key }: StringAddress,
): V | undefined {
  return all?.get(locale)?.get(file)?.get(key);
}

/** The values of one kind at one state of a Hive. */
export interface KindValues<V> {
  readonly kind: Sidecar<V>;
  readonly all: LocaleValues<V>;
}

/** The values of several kinds at one state of a Hive. */
export class SidecarValues {
  readonly #kinds: readonly KindValues<unknown>[];

  constructor(kinds: readonly KindValues<unknown>[] = []) {
    this.#kinds = kinds;
  }

  get kinds(): readonly Sidecar<unknown>[] {
    return this.#kinds.map(({ kind }) => kind);
  }

  of<V>(kind: Sidecar<V>): LocaleValues<V> {
    const found = this.#kinds.find((one): one is KindValues<V> => one.kind === kind);
    return found?.all ?? new Map<LocaleCode, ValueFiles<V>>();
  }

  with<V>(kind: Sidecar<V>, all: LocaleValues<V>): SidecarValues {
    return new SidecarValues([...this.#kinds.filter((one) => one.kind !== kind), { kind, all }]);
  }

  /** The values after moves of their strings; see {@link movedValues}. */
  moved(moves: TranslationMoves): SidecarValues {
    return new SidecarValues(this.#kinds.map(({ kind, all }) => ({ kind, all: movedInLocales(all, moves) })));
  }

  /** Whether another state has another value of any kind at one place. */
  differsAt(other: SidecarValues, at: StringAddress): boolean {
    return [...new Set([...this.kinds, ...other.kinds])].some((kind) => {
      const [before, after] = [this.of(kind), other.of(kind)];
      return [...new Set([...before.keys(), ...after.keys()])].some(
        (locale) => !isSameValue(kind, valueAt(before, locale, at), valueAt(after, locale, at)),
      );
    });
  }

  /** Whether another state has other values of a kind. */
  differs(kind: Sidecar<unknown>, other: SidecarValues): boolean {
    const [before, after] = [this.of(kind), other.of(kind)];
    return [...new Set([...before.keys(), ...after.keys()])].some((locale) => {
      const [was, is] = [before.get(locale) ?? noFiles, after.get(locale) ?? noFiles];
      return changedValues(kind, locale, was, is).length > 0;
    });
  }
}

const noFiles = new Map<FileName, FileValues<never>>();

/** See {@link movedValues}. */
export function movedInLocales<V>(all: LocaleValues<V>, moves: TranslationMoves): LocaleValues<V> {
  return new Map(Array.from(all, ([locale, files]) => [locale, movedValues(files, moves)]));
}

/** See {@link mergedValues}. */
export function mergedInLocales<V>(
  kind: Sidecar<V>,
  { base, ours, theirs }: Sides<LocaleValues<V>>,
  whole?: AddressMap<Side>,
): LocaleValues<V> {
  return new Map(
    Array.from(ours, ([locale, now]) => {
      const [from, to] = [base.get(locale) ?? noFiles, theirs.get(locale) ?? noFiles];
      return [locale, mergedValues<V>(kind, { base: from, ours: now, theirs: to }, whole)];
    }),
  );
}

/** What a plan makes of the values of one kind. */
export interface ValueChange<V = unknown> {
  readonly kind: Sidecar<V>;
  /** @param now the values of all target locales, or of the source locale, after the moves of the plan. */
  change(now: LocaleValues<V>): LocaleValues<V>;
}

/** A change of values that belong to strings. */
export function stringValuesChange<V>(
  kind: Sidecar<V>,
  change: (now: ValueFiles<V>) => ValueFiles<V>,
): ValueChange<V> {
  return {
    kind,
    change: (now) => new Map(Array.from(now, ([locale, files]) => [locale, change(files)])),
  };
}
