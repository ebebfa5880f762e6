/** Changes one translation if it still is as the user saw it: writes it, confirms it, or removes it. */
import { hash } from "node:crypto";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { invalid } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { isFileName } from "../../domain/names.ts";
import { textProblem } from "../../domain/text.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { translationAt } from "../../domain/strings/content-diff.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { CommitResult, Planner, WriteContext } from "../write-context.ts";
import { planImportInto } from "./imports.ts";
import { planConfirmationIn } from "./stale.ts";
import { planRemovalFrom } from "./translation-removal.ts";
import type { Storage } from "../storage.ts";

export interface TranslationEdit {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** A new text, that the present one is right for the present source, or that there is to be none. */
  readonly change:
    | { readonly kind: "write"; readonly text: string }
    | { readonly kind: "confirm" }
    | { readonly kind: "remove" };
  /** What the person had before them, as {@link markOf} gives it. */
  readonly seen: string;
}

/** Stands for a source text and a translation in a form, which would change the line ends of the texts themselves. */
export function markOf(source: string, translation: string | undefined): string {
  return hash("sha256", JSON.stringify([source, translation ?? ""]), "base64url");
}

/**
 * Makes a change of one translation as one commit, if the source text and the translation are still what was seen.
 * @throws SkepError `text-conflict` when they are not; `unknown-keys` when there is no such string; `invalid` on
 * `locale`, or on `text` for one that is empty or cannot be stored.
 */
export function editTranslation(
  storage: Storage,
  branch: HiveBranch,
  edit: TranslationEdit,
  context: WriteContext,
): Promise<CommitResult<unknown>> {
  const plan = planOf(branch, edit);
  return storage.hives.commit(branch, context, async (snapshot) => {
    await requireSeen(branch, snapshot, edit);
    return plan(snapshot);
  });
}

function planOf(branch: HiveBranch, { locale, file, key, change }: TranslationEdit): Planner<unknown> {
  if (change.kind === "confirm") return planConfirmationIn(branch, { locale, file, keys: [key] });
  if (change.kind === "remove") return planRemovalFrom(branch, { locale, files: new Map([[file, [key]]]) });
  const { text } = change;
  const problem = text === "" ? "write a translation, or remove the present one" : textProblem(text);
  if (problem !== undefined) throw invalid("text", problem);
  const files = new Map([[file, new Map([[key, text]])]]);
  return planImportInto(branch, {
    locale,
    files,
    overwriteStrategy: "overwrite",
    isStrict: true,
  });
}

async function requireSeen(
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale: text, file, key, seen }: TranslationEdit,
): Promise<void> {
  const { code } = targetLocale(snapshot.settings, text, slugOf(branch));
  const hive = await snapshot.content([code]);
  const source = isFileName(file) ? translatableTexts(hive.source.get(file)).get(key) : undefined;
  const translation = isFileName(file) ? translationAt(hive, code, file, key) : undefined;
  if (source !== undefined && markOf(source, translation) === seen) return;
  const problem = "Changed since you saw it, so nothing was written";
  throw differenceConflict([{ locale: code, file, key }], snapshot.settings, problem, "expected_conflict");
}
