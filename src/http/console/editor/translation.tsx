/** A translation with its state, what waits for a review, and the control that opens its editor. */
import { hash } from "node:crypto";
import { useHive } from "../requests/context.tsx";
import { writerOf } from "../../../domain/access/principal.ts";
import type { Child } from "hono/jsx";
import type { OriginKind } from "../../../domain/commits/origin.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { FoundString, TranslationState } from "../../../domain/queries/string-search.ts";
import type { EditableTranslation } from "../../../service/content/string-marks.ts";
import type { TextMarks } from "../../../service/content/string-search.ts";
import { enginesFor } from "../../../service/engines/suggestions.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { type LinkQuery, stringLink } from "../requests/links.ts";
import { Editor, isTooLong, placeFields, sentForm, type Refused } from "./editor.tsx";
import type { EditedItem } from "./editor-fields.tsx";
import type { AskedEngine } from "./suggesting.tsx";
import { FindingMarks, Findings } from "../parts/findings.tsx";
import { described, Problem } from "../parts/fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { stateOf } from "../requests/form.ts";
import type { HiveRequest } from "../requests/page.ts";
import { maxShown, Name, WordDiff } from "../parts/text.tsx";
import { languageName, t, textIn } from "../texts/texts.ts";

/** The state of a translation, as a shape and a word. */
export function StateMark({ state }: { state: TranslationState }) {
  return <span class={`mark small ${state}`}>{t(`state.${state}`)}</span>;
}

/** Who or what wrote a translation last, where that was said. @param props.href the others of that origin. */
export function OriginMark({ origin, href }: { origin: OriginKind | undefined; href: string }) {
  if (origin === undefined) return null;
  return (
    <a class="tag" href={href}>
      {t(`by.${origin}`)}
    </a>
  );
}

/**
 * The findings of checks in a stored translation, with buttons that accept them as false alarms: in a list as marks, which
 * open.
 */
export function StoredFindings(props: { shown: ShownTranslation; back?: LinkQuery }) {
  const { shown, back } = props;
  const { string, locale, translation } = shown;
  const { hiveLink, canTranslate } = useHive();
  const { findings } = translation.checked ?? { findings: [] };
  if (findings.length === 0) return null;
  const fields = { change: "accept", locale: codeOf(locale), ...backField(back) };
  const all = (
    <Findings
      findings={findings}
      action={({ check }) =>
        canTranslate(locale) && (
          <PostForm to={stringLink(hiveLink, string.file, string.key)} class="inline inplace" hidden={fields}>
            <button class="quiet" name="check" value={check}>
              {t("translation.false_alarm")}{" "}
              <span class="visually-hidden">{textIn("check", check) ?? check}</span>
            </button>
          </PostForm>
        )
      }
    />
  );
  if (back === undefined) return all;
  return (
    <details class="found">
      <summary>
        <FindingMarks findings={findings} />
      </summary>
      {all}
    </details>
  );
}

function backField(back: LinkQuery | undefined): Readonly<Record<string, string>> {
  return back === undefined ? {} : { back: JSON.stringify(back) };
}

export interface ShownTranslation {
  readonly string: Pick<FoundString, "file" | "key" | "source"> & Partial<TextMarks>;
  readonly locale: Locale;
  readonly translation: EditableTranslation;
}

/** A string in a locale as it is edited, with all its plural forms. */
export function editedItem({ string, translation }: ShownTranslation): EditedItem {
  const { file, key, source, syntax = "none" } = string;
  const { text, translatedFrom, checked, review: waiting, expected } = translation;
  if (translation.forms.length > 0)
    return { file, key: translation.item, syntax, forms: translation.forms, expected };
  const plain = { form: "other", key, source, example: undefined, translation: text };
  return {
    file,
    key,
    syntax,
    forms: [{ ...plain, formerSource: translatedFrom, checked, waiting }],
    expected,
  };
}

/** The id of the row of a string in a list. */
export function rowId({ file, key }: Pick<FoundString, "file" | "key">): string {
  return `s-${hash("sha256", JSON.stringify([file, key]), "base64url").slice(0, 12)}`;
}

/**
 * The control that opens the form for a translation. Long texts have it only on the page of their string, since a list
 * of large forms would be too much for a browser; very long texts cannot be edited in the console.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 * @param props.lang the language of the source texts.
 * @param props.isElsewhere whether another row of the page has the form of the same string.
 * @param props.terms the terms of the source text, where the page does not show them already.
 */
export function Editing(props: {
  shown: ShownTranslation;
  lang: string;
  back?: LinkQuery;
  isOpen?: boolean;
  isElsewhere?: boolean;
  refused?: Refused;
  terms?: Child;
}) {
  const { shown, lang, back, isOpen = false, isElsewhere = false, refused, terms } = props;
  const request = useHive();
  const { string, locale, translation } = shown;
  if (!request.canTranslate(locale)) return null;
  const code = codeOf(locale);
  const id = `edit-${rowId(string)}-${code}`;
  const name = translation.text === undefined ? t("common.translate") : t("translation.edit");
  const item = editedItem(shown);
  if (isTooLong(item)) return <p class="aside-text">{t("translation.this_text_is_too_long")}</p>;
  if (isElsewhere || (isTooLong(item, maxShown) && !isOpen)) {
    const query = { locale: code, back: back === undefined ? undefined : JSON.stringify(back) };
    return (
      <a class="editing" href={stringLink(request.hiveLink, string.file, string.key, query)}>
        {name}
        <Which shown={shown} isInList={back !== undefined} />
      </a>
    );
  }
  return (
    <details class="editing" id={id} open={isOpen}>
      <summary>
        {name}
        <Which shown={shown} isInList={back !== undefined} />
      </summary>
      {terms}
      <Editor
        item={item}
        locale={locale}
        lang={lang}
        id={`${id}-form`}
        frame={{ in: "string", key: string.key, back, engines: enginesOf(request, shown) }}
        refused={refused}
      />
    </details>
  );
}

/** The engines that can be asked for a translation. */
function enginesOf(
  { storage, session, settings }: HiveRequest,
  { locale, translation }: Pick<ShownTranslation, "locale" | "translation">,
): readonly AskedEngine[] {
  if (settings === undefined || translation.isUnsent) return [];
  return enginesFor(storage, session.caller, { settings, locale });
}

/** Identifies a form among others of the page, for screen readers. */
function Which({ shown: { string, locale }, isInList }: { shown: ShownTranslation; isInList: boolean }) {
  return <span class="visually-hidden"> {isInList ? <Name name={string.key} /> : languageName(locale)}</span>;
}

/**
 * A translation of one form that waits for a review: the text that was approved last, and the form that approves or rejects it.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 * @param props.refused a rejection that was refused.
 */
export function Waiting(props: { shown: ShownTranslation; back?: LinkQuery; refused?: Refused }) {
  const { shown, back, refused } = props;
  const { string, locale, translation } = shown;
  const request = useHive();
  if (translation.review === undefined) return null;
  const { text, approved, by } = translation.review;
  const isOwn = locale.twoPeople === true && by === writerOf(request.hive);
  const state = { ...stateOf(refused?.state, sentForm), form: `review-${rowId(string)}-${locale.code}` };
  const reason = { name: "reason", state };
  const { key } = string;
  const item = editedItem(shown);
  const only = item.forms.find((form) => form.key === key)?.form ?? "other";
  const to = request.hiveLink(["translate", codeOf(locale)]);
  const fields = {
    file: item.file,
    key: item.key,
    only,
    seen: seenToken(item.expected),
    ...placeFields({ key, back }),
  };
  const which = (
    <span class="visually-hidden">
      <Name name={key} /> {codeOf(locale)}
    </span>
  );
  return (
    <div class="review">
      <p class="aside-text">
        <span class="mark small waiting">{t("common.waiting_for_a_review")}</span>
        {approved !== undefined && approved !== text && (
          <>
            {" "}
            {t("translation.since_the_last_approval")}{" "}
            <WordDiff before={approved} after={text} lang={locale.code} />
          </>
        )}
      </p>
      {request.canApprove(locale) && (
        // Two forms: Enter in the reason must not press the other button.
        <div class="decision">
          {!isOwn && (
            <PostForm to={to} class="inline inplace" hidden={fields}>
              <button name="change" value="approve">
                {t("translation.approve", { which })}
              </button>
            </PostForm>
          )}
          <PostForm to={to} class="decision inplace" hidden={fields}>
            <label class="visually-hidden" for={described(reason).id}>
              {t("translation.why_it_is_rejected")}
            </label>
            <input
              {...described(reason)}
              value={state.values.reason}
              maxlength={1000}
              required
              placeholder={t("translation.why_the_writer_reads_it")}
            />
            <button class="quiet" name="change" value="reject">
              {t("translation.reject", { which })}
            </button>
            <Problem {...reason} />
          </PostForm>
        </div>
      )}
    </div>
  );
}
