/**
 * Findings that people accepted as false alarms: `accepted/<locale>/<file>.json` holds for a key the checks, each with a
 * hash of the source text and the translation that it was accepted for. The hash decides alone, so an acceptance ends when
 * either text changes, and stays when the string is moved.
 */
import { hash } from "node:crypto";
import type { CheckName } from "../../domain/checks/message.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import type { IsAccepted } from "../../domain/plans/check-content.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { fromGroup, type Texts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "./snapshot.ts";

/** The hash by which an acceptance knows its texts: 128 bits in hexadecimal digits. */
export function acceptanceHash(source: string, translation: string): string {
  return hash("sha256", JSON.stringify([source, translation]), "hex").slice(0, 32);
}

/**
 * Tells which findings of some locales were accepted.
 * @param writes files of acceptances that are about to be written.
 * @throws SkepError `content-invalid` when a file of acceptances cannot be read.
 */
export async function acceptedIn(
  { accepted }: Pick<Snapshot, "accepted">,
  locales: readonly LocaleCode[],
  writes: readonly FileWrite[] = [],
): Promise<IsAccepted> {
  const stored = await accepted.read([...new Set(locales)]);
  const known = new Set<string>();
  const add = (locale: LocaleCode, texts: Texts): void => {
    for (const [path, digest] of texts) known.add(`${locale} ${checkIn(path)} ${digest}`);
  };
  for (const [locale, files] of stored) for (const texts of files.values()) add(locale, texts);
  for (const { locale, content } of writes) if (content !== undefined) add(locale, content.texts);
  if (known.size === 0) return () => false;
  return ({ locale }, check, { source, translation }) =>
    known.has(`${locale} ${check} ${acceptanceHash(source, translation)}`);
}

/** Acceptances are flattened as all files are: the name of the check follows the key. */
function checkIn(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** The change of one acceptance. */
export interface AcceptanceChange {
  readonly locale: LocaleCode;
  readonly file: FileName;
  readonly key: string;
  readonly check: CheckName;
  /** Undefined to take it back. */
  readonly digest: string | undefined;
}

/** The write of a file of acceptances after a change. @param stored the acceptances of the file. */
export function toAcceptanceWrite(
  stored: Texts,
  { locale, file, key, check, digest }: AcceptanceChange,
): FileWrite {
  const texts = new Map(stored);
  if (digest === undefined) texts.delete(`${key}.${check}`);
  else texts.set(`${key}.${check}`, digest);
  return toAcceptanceFile(locale, file, texts);
}

/** The write of a file of acceptances; keys are sorted, so that equal acceptances make the same blob. */
function toAcceptanceFile(locale: LocaleCode, file: FileName, texts: Texts): FileWrite {
  if (texts.size === 0) return { locale, file, content: undefined };
  const keys = new Map<string, [string, string][]>();
  for (const [path, digest] of [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const key = path.slice(0, path.lastIndexOf("."));
    keys.set(key, [...(keys.get(key) ?? []), [checkIn(path), digest]]);
  }
  const group = Object.fromEntries(Array.from(keys, ([key, checks]) => [key, Object.fromEntries(checks)]));
  return { locale, file, content: fromGroup(group) };
}
