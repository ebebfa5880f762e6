/** What an undo takes back of the glossary and the styles. */
import { planGlossaryUndo } from "../domain/glossary/glossary-plan.ts";
import { isStoredLocaleCode, type LocaleCode } from "../domain/hives/locale.ts";
import type { UndoCounts } from "../domain/plans/undo.ts";
import { glossaryPath } from "../store/content/glossary-file.ts";
import type { Snapshot } from "../store/content/snapshot.ts";
import { stylePath } from "../store/content/stored-glossary.ts";
import { glossaryText, styleText } from "./glossary-files.ts";

export interface UndoneGlossary {
  /** Whether the commit changed terms or styles. */
  readonly isChanged: boolean;
  readonly texts: ReadonlyMap<string, string | undefined>;
  readonly counts: Pick<UndoCounts, "restored" | "updated" | "deleted">;
  /** Terms, by their ids, and styles that have changed since. */
  readonly conflicts: readonly { readonly locale: LocaleCode; readonly file: string; readonly key: string }[];
}

/**
 * Plans to take back what a commit changed, term by term and style by style.
 * @param ours the Hive as it is now. @param before as it was before the commit. @param after as the commit left it.
 * @throws SkepError `content-invalid`.
 */
export async function undoGlossary(
  ours: Snapshot,
  before: Snapshot,
  after: Snapshot,
): Promise<UndoneGlossary> {
  const texts = new Map<string, string | undefined>();
  const counts = { restored: 0, updated: 0, deleted: 0 };
  const conflicts: UndoneGlossary["conflicts"][number][] = [];
  const { settings } = ours;
  let isChanged = before.glossary.version !== after.glossary.version;
  if (isChanged) {
    const [now, left, was] = await Promise.all([ours, after, before].map(({ glossary }) => glossary.terms()));
    const undo = planGlossaryUndo(now ?? [], left ?? [], was ?? []);
    for (const name of ["restored", "updated", "deleted"] as const) counts[name] += undo[name];
    for (const key of undo.conflicts)
      conflicts.push({ locale: settings.sourceLocale.code, file: glossaryPath, key });
    if (undo.terms !== now) for (const [path, text] of glossaryText(undo.terms)) texts.set(path, text);
  }
  for (const locale of new Set([...before.glossary.styles, ...after.glossary.styles])) {
    if (!isStoredLocaleCode(locale)) continue;
    if (before.glossary.styleVersion(locale) === after.glossary.styleVersion(locale)) continue;
    isChanged = true;
    const [now, left, was] = [ours, after, before].map(({ glossary }) => glossary.styleVersion(locale));
    if (now === was) continue;
    if (now !== left) {
      conflicts.push({ locale, file: stylePath(locale), key: "" });
      continue;
    }
    counts[was === "" ? "deleted" : now === "" ? "restored" : "updated"]++;
    for (const [path, text] of styleText(locale, await before.glossary.style(locale))) texts.set(path, text);
  }
  return { isChanged, texts, counts, conflicts };
}
