/** Which texts a job may ask an engine for: those that are missing, and those of machines that nobody has approved. */
import type { JobWant } from "../../domain/hives/locale-rule.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { FileName } from "../../domain/names.ts";
import { translationsOf } from "../../domain/strings/hive-content.ts";
import {
  formsOf,
  isKeptFromEngines,
  stateOfForm,
  toBits,
  waitingAt,
  type QueueFile,
} from "../../domain/work/queue.ts";
import { originsOf } from "../content/queries.ts";
import type { DeliveryStorage } from "../storage.ts";
import { unreviewedTexts } from "./unreviewed-texts.ts";

/** A form of a string, as it is judged. */
type JudgedForm = Parameters<typeof stateOfForm>[1];

/** Whether a form of a string is to be translated, with what the locale has now. */
export type IsOpen = (name: FileName, file: QueueFile, form: JudgedForm) => boolean;

/**
 * Makes the function that says whether a form of a string is to be translated into a locale. A stored text only is if it
 * needs work, a machine was the last that wrote it, and nobody has approved it: it waits for a review, or is stale and never
 * has waited.
 * @throws SkepError `content-invalid`; the signal's reason.
 */
export async function openTexts(
  storage: DeliveryStorage,
  branch: HiveBranch,
  {
    locale,
    want,
    signal,
  }: { readonly locale: Locale; readonly want: readonly JobWant[]; readonly signal?: AbortSignal },
): Promise<IsOpen> {
  const wanted = toBits(want);
  const isWanted: IsOpen = (_, file, form) => (stateOfForm(file, form) & wanted) !== 0;
  if (want.every((state) => state === "missing")) return isWanted;
  const snapshot = await storage.hives.at(branch).snapshot();
  const stored = translationsOf(await snapshot.content([locale.code]), locale.code);
  const origins = await originsOf(storage.hives, branch, snapshot, { locale, signal });
  const unreviewed = want.includes("stale")
    ? await unreviewedTexts(storage, branch, snapshot, { locale, origins, signal })
    : undefined;
  return (name, file, form) => {
    const { key } = form;
    const text = file.texts.get(key);
    if (text === undefined || !isWanted(name, file, form)) return isWanted(name, file, form);
    // The origins are those of the texts at a commit: a text that is another one by now was written by somebody else.
    const isMachines = stored.get(name)?.get(key) === text && origins.get(name)?.get(key) === "model";
    return (
      isMachines && (waitingAt(file, key) !== undefined || unreviewed?.has({ file: name, key }) === true)
    );
  };
}

/** The keys of the forms of a string that are to be translated; none where a note keeps it from engines. */
export function openForms(isOpen: IsOpen, name: FileName, file: QueueFile, key: string): ReadonlySet<string> {
  const forms = formsOf(file, key) ?? [];
  if (isKeptFromEngines(file, forms)) return new Set();
  return new Set(forms.filter((form) => isOpen(name, file, form)).map((form) => form.key));
}
