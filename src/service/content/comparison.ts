/** Compares two states of a Hive, key by key. */
import { toShownChange, type ShownChange } from "../../domain/strings/text-diff.ts";
import { isBranchName, isMain, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import type { OffsetLimit, Page } from "../../domain/pagination.ts";
import { differingFiles, type DifferingFile } from "../../domain/strings/content-diff.ts";
import { pause } from "../../slices.ts";
import { settingsPath, type Snapshot } from "../../store/content/snapshot.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import type { StorageBase } from "../storage.ts";

export interface ComparisonQuery extends OffsetLimit {
  /** Each the name of a branch, or a revision. */
  readonly from: string;
  readonly to: string;
  readonly locale?: string;
  /** Keeps a small result in memory, for as long as its version stays the same. */
  readonly cache: <T>(name: string, version: string, make: () => Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal;
}

export interface Comparison extends Page<ShownChange> {
  readonly from: Oid;
  readonly to: Oid;
  readonly byLocale: ReadonlyMap<string, number>;
}

interface FileCount {
  readonly locale: LocaleCode;
  readonly file: string;
  readonly count: number;
}

/**
 * Compares two states of a Hive: source strings first, then locale by locale. All files are compared once; for another page,
 * only the files of its changes.
 * @param branch the branch on whose first parents dates are looked up.
 * @throws SkepError `invalid` on `from` or `to` when there is no such state, or its content cannot be read.
 */
export async function compareStates(
  { hives }: StorageBase,
  branch: HiveBranch,
  { from, to, locale, offset, limit, cache, signal }: ComparisonQuery,
): Promise<Comparison> {
  const commitOf = async (text: string, field: string): Promise<Oid> => {
    const named = isBranchName(text) ? (await hives.at(slugOf(branch)).branches.list()).get(text) : undefined;
    if (named !== undefined) return named;
    const lookup = { tip: hives.at(branch).head(), signal };
    return (await hives.at(branch).revisions.resolve(toRevision(text, field), field, lookup)).commit;
  };
  const [start, end] = [await commitOf(from, "from"), await commitOf(to, "to")];
  const readAt = (oid: Oid, field: string): Promise<Snapshot> =>
    orInvalid(field, () => hives.at(branch).snapshotForDiff(oid, [start, end]));
  const [before, after] = [await readAt(start, "from"), await readAt(end, "to")];
  const differing = async (codes: readonly LocaleCode[] | "all"): Promise<readonly DifferingFile[]> =>
    differingFiles(
      await orInvalid("from", () => before.content(codes)),
      await orInvalid("to", () => after.content(codes)),
    );
  const version = [start, end, before.storedSettings.oid, after.storedSettings.oid].join(" ");
  const counts = await cache(`comparison in ${slugOf(branch)}`, version, async () =>
    countChanges(await differing("all"), signal),
  );
  const { settings } = await hives.at(branch).snapshot();
  const shown = shownCodes(settings);
  const byLocale = new Map<string, number>();
  for (const { locale: code, count } of counts)
    byLocale.set(shown(code), (byLocale.get(shown(code)) ?? 0) + count);

  const changes: ShownChange[] = [];
  let total = 0;
  const listed = counts.filter(({ locale: code }) => locale === undefined || shown(code) === locale);
  const shownFiles = listed.flatMap(({ locale: code, file, count }) => {
    const first = Math.max(0, offset - total);
    const last = offset + limit - total;
    total += count;
    return first < count && last > 0 ? [{ code, file, first, last }] : [];
  });
  const files = await differing([...new Set(shownFiles.map(({ code }) => code))]);
  for (const { code, file, first, last } of shownFiles) {
    const here = files.find((one) => one.locale === code && one.file === file);
    changes.push(...(here?.changes() ?? []).slice(first, last).map(toShownChange(settings)));
  }
  return { from: start, to: end, entries: changes, total, byLocale };
}

/**
 * The locales that two commits differ in: in translations, and in the values beside these.
 * @param branch the branch that the commits are of; one has the settings of main, whatever its commits have.
 * @param from undefined for nothing at all.
 * @param into what the differences are merged into: what is the same there already is left out.
 * @returns undefined where more differs, such as source strings, notes, pictures or terms.
 */
export async function differingLocales(
  { hives }: StorageBase,
  branch: HiveBranch,
  from: Oid | undefined,
  to: Oid,
  into?: Oid,
): Promise<readonly LocaleCode[] | undefined> {
  const { revisions } = hives.at(branch);
  const differing = await revisions.history.placesBetween(from, to);
  const left = into === undefined ? differing : await revisions.history.placesBetween(into, to);
  const locales = new Set([...differing.locales].filter((code) => left.locales.has(code)));
  const others = [...differing.others].filter((name) => left.others.has(name));
  const { sourceLocale } = (await revisions.settings(hives.at(slugOf(branch)).head())) ?? {};
  const isMore = (name: string): boolean => name !== settingsPath || isMain(branch);
  if (sourceLocale === undefined || locales.has(sourceLocale.code) || others.some(isMore)) return undefined;
  return [...locales];
}

/** The locales of which some commits have changed texts, each compared with its first parent. */
export async function writtenLocales(
  { hives }: StorageBase,
  branch: HiveBranch,
  commits: readonly Oid[],
): Promise<ReadonlySet<LocaleCode>> {
  const { history } = hives.at(branch).revisions;
  const written = new Set<LocaleCode>();
  for (const commit of commits) {
    const [parent] = (await history.readCommit(commit)).parents;
    for (const code of (await history.placesBetween(parent, commit)).texts) written.add(code);
  }
  return written;
}

async function countChanges(
  files: readonly DifferingFile[],
  signal: AbortSignal | undefined,
): Promise<readonly FileCount[]> {
  const counts: FileCount[] = [];
  for (const { locale, file, changes } of files) {
    await pause(signal);
    const count = changes().length;
    if (count > 0) counts.push({ locale, file, count });
  }
  return counts;
}
