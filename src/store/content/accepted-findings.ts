/**
 * Findings that people accepted as false alarms: `accepted/<locale>/<file>.json` holds for a key the checks, each with a
 * hash of the source text and the translation that it was accepted for. The hash decides alone, so an acceptance ends when
 * either text changes, and stays when the string is moved.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CheckName } from "../../domain/checks/message.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import type { AddressMap, Move, StringAddress } from "../../domain/move.ts";
import { translationMovesOf } from "../../domain/moves/moved-content.ts";
import type { CheckedTexts, LocatedFinding } from "../../domain/plans/check-content.ts";
import { type FileWrite, sourceWrites } from "../../domain/strings/hive-content.ts";
import {
  fromGroup,
  noTexts,
  translatableTexts,
  type StringFile,
  type Texts,
} from "../../domain/strings/string-file.ts";
import type { Snapshot } from "./snapshot.ts";

/** The hash by which an acceptance knows its texts: 128 bits in hexadecimal digits. */
export function acceptanceHash(source: string, translation: string): string {
  return hash("sha256", JSON.stringify([source, translation]), "hex").slice(0, 32);
}

/** Accepted findings by locale and file; the check follows the key, as files are flattened. */
export type Acceptances = ReadonlyMap<LocaleCode, ReadonlyMap<FileName, Texts>>;

export type IsAccepted = (found: Pick<LocatedFinding, "locale" | "check">, texts: CheckedTexts) => boolean;

/**
 * Tells which findings of some locales were accepted.
 * @param writes files of acceptances that are about to be written.
 * @throws SkepError `content-invalid` when a file of acceptances cannot be read.
 */
export async function acceptedIn(
  { accepted }: { readonly accepted: Pick<Snapshot["accepted"], "read"> },
  locales: Iterable<LocaleCode>,
  writes: readonly FileWrite[] = [],
): Promise<IsAccepted> {
  const stored = await accepted.read([...new Set(locales)]);
  const known = new Set<string>();
  for (const [locale, before] of stored) {
    const files = new Map(before);
    for (const { file, content, ...write } of writes) {
      if (write.locale === locale) files.set(file, content?.texts ?? noTexts);
    }
    for (const texts of files.values()) {
      for (const [path, digest] of texts) known.add(`${locale} ${splitPath(path).check} ${digest}`);
    }
  }
  if (known.size === 0) return () => false;
  return ({ locale, check }, { source, translation }) =>
    known.has(`${locale} ${check} ${acceptanceHash(source, translation)}`);
}

function splitPath(path: string): { readonly key: string; readonly check: string } {
  const dot = path.lastIndexOf(".");
  return { key: path.slice(0, dot), check: path.slice(dot + 1) };
}

/** What a merge or an undo brings to acceptances: the difference between two states. */
export interface AcceptanceDifference {
  readonly base: AcceptancesOfSide;
  readonly theirs: AcceptancesOfSide;
}

/** The acceptances of one side, and where its strings are after the change. */
export interface AcceptancesOfSide {
  readonly accepted: Acceptances;
  readonly movedTo: AddressMap<StringAddress>;
}

/**
 * The acceptances that a change writes: they move with their strings, go with them, and a difference is merged by key. What
 * both sides have changed stays as it is here, since only one of them can be right for the texts that the change leaves.
 * @param writes the files that the change writes.
 * @throws SkepError `content-invalid` when a file of acceptances cannot be read.
 */
export async function acceptanceWrites(
  { accepted, index, settings }: Pick<Snapshot, "accepted" | "index" | "settings">,
  moves: readonly Move[],
  difference: AcceptanceDifference | undefined,
  writes: readonly FileWrite[],
): Promise<readonly FileWrite[]> {
  const sources = sourceWrites(settings, writes);
  if (moves.length === 0 && difference === undefined && sources.size === 0) return [];
  const stored = await accepted.read(settings.targetLocales.map(({ code }) => code));
  const ours = moved({ accepted: stored, movedTo: translationMovesOf(index.source, moves).to });
  const base = difference && moved(difference.base);
  const changedTo = difference && moved(difference.theirs);
  const changed: FileWrite[] = [];
  for (const [locale, before] of stored) {
    const theirs = changedTo?.get(locale) ?? noFiles;
    const now = ours.get(locale) ?? noFiles;
    for (const file of new Set([...before.keys(), ...now.keys(), ...theirs.keys()])) {
      const merged = new Map(now.get(file));
      const from = base?.get(locale)?.get(file) ?? noTexts;
      const to = theirs.get(file) ?? noTexts;
      for (const path of difference === undefined ? [] : new Set([...from.keys(), ...to.keys()])) {
        const digest = to.get(path);
        if (merged.get(path) !== from.get(path) || digest === from.get(path)) continue;
        if (digest === undefined) merged.delete(path);
        else merged.set(path, digest);
      }
      const left = sources.has(file) ? placedIn(sources.get(file), merged) : merged;
      const isSame = isDeepStrictEqual(left, new Map(before.get(file)));
      if (!isSame) changed.push(toAcceptanceFile(locale, file, left));
    }
  }
  return changed;
}

/** The acceptances of a file whose strings there are. */
export function placedIn(source: StringFile | undefined, acceptances: Texts): Texts {
  const keys = translatableTexts(source);
  return new Map(Array.from(acceptances).filter(([path]) => keys.has(splitPath(path).key)));
}

const noFiles: ReadonlyMap<FileName, Texts> = new Map();

function moved({ accepted: all, movedTo }: AcceptancesOfSide): Acceptances {
  if ([...movedTo.files].length === 0 || Array.from(all.values()).every(({ size }) => size === 0)) return all;
  const after = new Map<LocaleCode, Map<FileName, Map<string, string>>>();
  for (const [locale, files] of all) {
    const there = new Map<FileName, Map<string, string>>();
    for (const [file, texts] of files) {
      for (const [path, digest] of texts) {
        const { key, check } = splitPath(path);
        const to = movedTo.get({ file, key }) ?? { file, key };
        const paths = there.get(to.file) ?? new Map<string, string>();
        there.set(to.file, paths.set(`${to.key}.${check}`, digest));
      }
    }
    after.set(locale, there);
  }
  return after;
}

/** The write of a file of acceptances with one more. @param stored the acceptances of the file. */
export function withAcceptance(
  stored: Texts,
  { locale, file, key, check }: Pick<LocatedFinding, "locale" | "file" | "key" | "check">,
  digest: string,
): FileWrite {
  return toAcceptanceFile(locale, file, new Map(stored).set(`${key}.${check}`, digest));
}

/** The writes that take an acceptance back, under whatever keys it stands. */
export function withoutAcceptance(
  locale: LocaleCode,
  stored: ReadonlyMap<FileName, Texts>,
  { check, digest }: { readonly check: CheckName; readonly digest: string },
): readonly FileWrite[] {
  return Array.from(stored).flatMap(([file, texts]) => {
    const others = new Map(texts);
    for (const [path, value] of texts) {
      if (value === digest && splitPath(path).check === check) others.delete(path);
    }
    return others.size === texts.size ? [] : [toAcceptanceFile(locale, file, others)];
  });
}

/** The write of a file of acceptances; keys are sorted, so that equal acceptances make the same blob. */
export function toAcceptanceFile(locale: LocaleCode, file: FileName, texts: Texts): FileWrite {
  if (texts.size === 0) return { locale, file, content: undefined };
  const keys = new Map<string, [string, string][]>();
  for (const [path, digest] of [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { key, check } = splitPath(path);
    keys.set(key, [...(keys.get(key) ?? []), [check, digest]]);
  }
  const group = Object.fromEntries(Array.from(keys, ([key, checks]) => [key, Object.fromEntries(checks)]));
  return { locale, file, content: fromGroup(group) };
}
