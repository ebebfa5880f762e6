/** Which findings of a Hive were accepted as false alarms; see `domain/sidecars/accepted.ts`. */
import { hash } from "node:crypto";
import type { CheckName } from "../../domain/checks/message.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { CheckedTexts, LocatedFinding } from "../../domain/plans/check-content.ts";
import { acceptedKind, type AcceptedChecks, type Acceptances } from "../../domain/sidecars/accepted.ts";
import { withValueWrites, type ValueFiles, type ValueWrite } from "../../domain/sidecars/sidecar.ts";
import type { FileName } from "../../domain/names.ts";
import type { AcceptedFinding } from "../../domain/work/answers.ts";
import type { Snapshot } from "./snapshot.ts";

/** The hash by which an acceptance knows its texts: 128 bits in hexadecimal digits. */
export function acceptanceHash(source: string, translation: string): string {
  return hash("sha256", JSON.stringify([source, translation]), "hex").slice(0, 32);
}

export type IsAccepted = (found: Pick<LocatedFinding, "locale" | "check">, texts: CheckedTexts) => boolean;

/**
 * Tells which findings were accepted.
 * @param stored the acceptances of the locales that will be asked about.
 * @param writes files of acceptances that are about to be written.
 */
export function acceptedIn(
  stored: Acceptances,
  writes: readonly ValueWrite<AcceptedChecks>[] = [],
): IsAccepted {
  const known = new Set<string>();
  for (const [locale, files] of withValueWrites(stored, writes)) {
    for (const values of files.values()) {
      for (const checks of values.values()) {
        for (const [check, digest] of checks) known.add(`${locale} ${check} ${digest}`);
      }
    }
  }
  if (known.size === 0) return () => false;
  return ({ locale, check }, { source, translation }) =>
    known.has(`${locale} ${check} ${acceptanceHash(source, translation)}`);
}

/** The same, from a snapshot. @throws SkepError `content-invalid` when a file of acceptances cannot be read. */
export async function readAccepted(
  { values }: Pick<Snapshot, "values">,
  locales: readonly LocaleCode[],
): Promise<IsAccepted> {
  return acceptedIn(await values.accepted.read(locales));
}

/**
 * The writes of the files of acceptances with more of them.
 * @param stored the acceptances of the locale that all of these are in.
 */
export function withAcceptances(
  stored: ValueFiles<AcceptedChecks>,
  accepted: readonly AcceptedFinding[],
): readonly ValueWrite<AcceptedChecks>[] {
  const changed = new Map<FileName, ValueWrite<AcceptedChecks> & { values: Map<string, AcceptedChecks> }>();
  for (const { locale, file, key, check, texts } of accepted) {
    const write = changed.get(file) ?? {
      kind: acceptedKind,
      locale,
      file,
      values: new Map(stored.get(file)),
    };
    const { source, translation } = texts;
    const digest = acceptanceHash(source, translation);
    write.values.set(key, new Map(write.values.get(key)).set(check, digest));
    changed.set(file, write);
  }
  return [...changed.values()];
}

/** The writes that take an acceptance back, under whatever keys it stands. */
export function withoutAcceptance(
  locale: LocaleCode,
  stored: ValueFiles<AcceptedChecks>,
  { check, digest }: { readonly check: CheckName; readonly digest: string },
): readonly ValueWrite<AcceptedChecks>[] {
  return Array.from(stored).flatMap(([file, before]) => {
    const values = new Map(before);
    for (const [key, checks] of before) {
      if (checks.get(check) !== digest) continue;
      const others = new Map(checks);
      others.delete(check);
      if (others.size === 0) values.delete(key);
      else values.set(key, others);
    }
    const isSame = Array.from(before).every(([key, checks]) => values.get(key) === checks);
    return isSame ? [] : [{ kind: acceptedKind, locale, file, values }];
  });
}
