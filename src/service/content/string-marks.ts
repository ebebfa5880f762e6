/** What lists and pages show of translations beside their texts: origins, reviews, findings, and what an answer sends back. */
import { defaultChecks } from "../../domain/checks/check-settings.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { CheckedText } from "../../domain/glossary/text-checks.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import { keptKeys, noteRulesOf, unsentKeys, type NoteRules } from "../../domain/notes/note-tags.ts";
import { FileChecker } from "../../domain/plans/check-content.ts";
import type { Translation } from "../../domain/queries/string-search.ts";
import { fileInLocale, type FileInLocale } from "../../domain/queries/text-states.ts";
import { reviewAt } from "../../domain/review/review.ts";
import type { Review } from "../../domain/sidecars/review.ts";
import type { ContentWithMarkers } from "../../domain/strings/stale.ts";
import { emptyFile } from "../../domain/strings/string-file.ts";
import { answerable, waitingAt, type AnswerableString } from "../../domain/work/queue.ts";
import type { WorkForm } from "../../domain/work/work.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { readAccepted } from "../../store/content/accepted-findings.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { Storage } from "../storage.ts";
import { originsSoon } from "./queries.ts";

/** A plural form as it can be edited. */
export interface EditableForm extends WorkForm {
  /** How a text is checked while it is written, and the findings of the stored text; undefined where it is not checked. */
  readonly checked: CheckedText | undefined;
  readonly waiting: Review | undefined;
}

/** A translation, and what an answer to it sends back. */
export interface AnswerableTranslation extends Translation, AnswerableString {}

/** A translation with all that the form that edits it shows. */
export interface EditableTranslation extends AnswerableTranslation {
  readonly forms: readonly EditableForm[];
  /** Whether the Hive or a note keeps it from engines. */
  readonly isUnsent: boolean;
}

/** What is read of a Hive to mark its translations. */
export interface MarkedContent extends ContentWithMarkers {
  readonly snapshot: Snapshot;
  readonly terms: TermIndex | undefined;
}

/** Marks a translation of a string. */
export type Mark<T extends Translation> = (string: StringAddress, translation: Translation) => T;

/** How translations are marked. */
export interface Marks {
  /** Adds how it is checked, the review that it waits for, its origin if that is known soon enough, and its plural forms. */
  readonly shown: Mark<AnswerableTranslation>;
  /** Adds to this how each of its plural forms is checked, and the review that it waits for. */
  readonly editable: Mark<EditableTranslation>;
}

/**
 * How the translations of a Hive are marked.
 * @param codes the locales that have a translation among those that are shown.
 */
export async function marksOf(
  { hives }: Pick<Storage, "hives">,
  branch: HiveBranch,
  marked: MarkedContent,
  codes: readonly LocaleCode[],
): Promise<Marks> {
  const { snapshot, content, markers, reviews } = marked;
  const { files: notes } = await snapshot.values.notes.readable();
  const kept = keptKeys(notes, content);
  const unsent = unsentKeys(notes, content);
  const withCheck = await checker(marked, codes, noteRulesOf(notes));
  const originOf = await originsSoon(hives, branch, snapshot, content, codes);
  const inLocale = ({ file }: StringAddress, { locale }: Translation): FileInLocale => {
    const strings = content.source.get(file) ?? emptyFile;
    return fileInLocale(content, locale, { markers, reviews, kept }, [file, strings]);
  };
  const shownIn = (
    string: StringAddress,
    translation: Translation,
    file: FileInLocale,
  ): AnswerableTranslation => {
    const at = { locale: translation.locale, file: string.file, key: string.key };
    const [review, origin] = [reviewAt(marked, at.locale, at), originOf(at)];
    return {
      ...withCheck(string, translation),
      ...answerable(file, at.key),
      ...(review && { review }),
      ...(origin && { origin }),
    };
  };
  const shown: Mark<AnswerableTranslation> = (string, translation) =>
    shownIn(string, translation, inLocale(string, translation));
  const editable: Mark<EditableTranslation> = (string, translation) => {
    const file = inLocale(string, translation);
    const one = shownIn(string, translation, file);
    const forms = one.forms.map((form): EditableForm => {
      const at = { file: string.file, key: form.key };
      const { checked } = withCheck(at, { ...translation, text: form.translation });
      return { ...form, checked, waiting: waitingAt(file, form.key) };
    });
    const isUnsent = content.settings.engines === false || unsent.get(string.file)?.has(string.key) === true;
    return { ...one, forms, isUnsent };
  };
  return { shown, editable };
}

/** Adds to a translation how it is checked, if it is. */
async function checker(
  { snapshot, content: { settings, source }, terms }: MarkedContent,
  codes: readonly LocaleCode[],
  noteRules: NoteRules,
): Promise<Mark<Translation>> {
  if ((settings.checks ?? defaultChecks).level === "off") return (_, translation) => translation;
  const isAccepted = await readAccepted(snapshot, codes);
  return ({ file, key }, translation) => {
    const { locale, text = "" } = translation;
    const options = { settings, rulesOf: formatRulesOf, terms, noteRules, isAccepted };
    const checked = new FileChecker(options, file, source.get(file)).checkInto({ locale, key }, text);
    return checked === undefined ? translation : { ...translation, checked };
  };
}
