/**
 * The form in which all is done that one can do with a translation: a field for each plural form, and the answers. It is the
 * same in a row of a list, on the page of a string and on the page of work, and is taken by one route.
 */
import type { Child } from "hono/jsx";
import { writerOf } from "../../../domain/access/principal.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { StringAddress } from "../../../domain/move.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { TheirsAndYours } from "../parts/conflicts.tsx";
import { Findings, type ShownFinding } from "../parts/findings.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { maxOnOwnPage } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { stateOf, type FormState } from "../requests/form.ts";
import type { LinkQuery } from "../requests/links.ts";
import { t } from "../texts/texts.ts";
import { splitItem, WholeText } from "./branches.tsx";
import { Aside, FormField, type EditedForm, type EditedItem } from "./editor-fields.tsx";
import { Shortcut, Suggesting, type AskedEngine, type Suggested } from "./suggesting.tsx";

/** Where the form stands, and so where one goes on from it; with the engines that can be asked there. */
export type Frame =
  | {
      readonly in: "queue";
      readonly filters: LinkQuery;
      /** The addresses of the strings before and behind it. */
      readonly previous: string | undefined;
      readonly next: string;
      /** Whether it is withheld from the user, who has hidden it. */
      readonly isHidden: boolean;
      /** The string behind it, where that has no translation. */
      readonly ahead: StringAddress | undefined;
      readonly engines: readonly AskedEngine[];
    }
  | {
      readonly in: "string";
      /** The form's key whose page it is, or row. */
      readonly key: string;
      /** The query of the list to return to; undefined for the string's own page. */
      readonly back: LinkQuery | undefined;
      readonly engines: readonly AskedEngine[];
    };

/** An answer that was not taken, or one that is to be completed. */
export interface Refused {
  /** What was written, by form. */
  readonly texts: ReadonlyMap<string, string>;
  readonly question: string;
  readonly reason: string;
  /** What was seen when it was begun; what is there now counts where it is undefined. */
  readonly expected: string | undefined;
  /** Why it was refused; undefined where nothing was refused. */
  readonly problem: string | undefined;
  /** What is wrong: with texts, by their forms, and with the other fields. */
  readonly state: FormState;
  readonly findings: readonly ShownFinding[];
  /** Whether errors were found that the user may let pass. */
  readonly isFailing: boolean;
  /** Whether the answer would lose the texts, for lack of a script that keeps them. */
  readonly leavesOutText?: boolean;
  /** The stored texts, of a conflict. */
  readonly theirs?: Readonly<Record<string, string | null>>;
  /** Whether the text is written as one, although it has branches. */
  readonly isWhole?: boolean;
  /** What an engine has suggested, which is in the fields that nobody had written into. */
  readonly suggested?: Suggested;
}

/** What forms that were sent are named by, wherever they stood. */
export const sentForm = "answer";

/** What a string is called among drafts, and in the address of the page of work; the name of a file has no colon. */
export function nameOf({ file, key }: { file: string; key: string }): string {
  return `${file}:${key}`;
}

/** Whether a text is too long to be written in a browser. */
export function isTooLong({ forms }: Pick<EditedItem, "forms">, most = maxOnOwnPage): boolean {
  return forms.some(({ source, translation = "" }) => Math.max(source.length, translation.length) > most);
}

/**
 * The form.
 * @param props.id its id on the page, which those of its fields begin with.
 * @param props.lang the language of the source texts.
 * @param props.children what stands between the first source text and its field, where source texts are shown.
 */
export function Editor(props: {
  item: EditedItem;
  locale: Locale;
  lang: string;
  id: string;
  frame: Frame;
  refused: Refused | undefined;
  children?: Child;
}) {
  const { item, locale, lang, id, frame, refused, children } = props;
  const { hiveLink, canTranslate } = useHive();
  const isQueue = frame.in === "queue";
  const isReadOnly = !canTranslate(locale) || isTooLong(item);
  const state = { ...stateOf(refused?.state, sentForm), form: id };
  const first = item.forms[0]?.form ?? "";
  const split =
    !isQueue || isReadOnly || refused?.isWhole === true
      ? undefined
      : splitItem(item, locale, refused?.texts.get(first));
  const forms = split?.forms ?? item.forms;
  const written = split === undefined ? refused?.texts : undefined;
  const textOf = ({ form, translation = "" }: EditedForm): string => written?.get(form) ?? translation;
  // Of a plural that is begun, it is the first form that is to be written.
  const focused = Math.max(
    0,
    forms.findIndex((form) => textOf(form) === ""),
  );
  const suggesting = !isReadOnly && (
    <Suggesting
      engines={frame.engines}
      suggested={refused?.suggested}
      locale={locale}
      isOfPage={isQueue}
      ahead={isQueue ? frame.ahead : undefined}
    />
  );
  return (
    <>
      <Refusal refused={refused} item={item} lang={locale.code} />
      <PostForm
        to={hiveLink(["translate", codeOf(locale)], isQueue ? frame.filters : {})}
        class={isQueue ? "edit work" : "edit"}
        id={id}
        isUnsaved={refused !== undefined}
        draft={nameOf(item)}
        hidden={{
          locale: codeOf(locale),
          file: item.file,
          key: item.key,
          seen: refused?.expected ?? seenToken(item.expected),
          ...(refused?.suggested?.field !== undefined && { suggested: refused.suggested.field }),
          ...(frame.in === "string" && placeFields(frame)),
        }}
      >
        {split !== undefined && <input type="hidden" name="split" value={split.sent} />}
        {forms.map((form, i) => (
          <FormField
            form={form}
            item={{ ...item, forms }}
            lang={lang}
            locale={locale}
            text={textOf(form)}
            state={state}
            hasFocus={isQueue && i === focused}
            isReadOnly={isReadOnly}
            showsSource={isQueue || forms.length > 1}
            isNamed={!isQueue}
          >
            {i === 0 && children}
          </FormField>
        ))}
        {split !== undefined && <WholeText split={split} id={id} lang={lang} locale={locale} />}
        {isQueue && suggesting}
        <Answers item={item} locale={locale} frame={frame} refused={refused} state={state} />
        {/* Enter in the field of the message presses the first button, which has to be the one that saves. */}
        {!isQueue && suggesting}
      </PostForm>
      {isQueue && isTooLong(item) && <p class="aside-text">{t("work-form.this_text_is_too_long")}</p>}
    </>
  );
}

/** The hidden fields that say where a form stood outside the page of work. */
export function placeFields({
  key,
  back,
}: Pick<Extract<Frame, { readonly in: "string" }>, "key" | "back">): Readonly<Record<string, string>> {
  return { at: key, ...(back !== undefined && { back: JSON.stringify(back) }) };
}

/** What one can do with a string, as the caller may and its texts are. */
function Answers(props: {
  item: EditedItem;
  locale: Locale;
  frame: Frame;
  refused: Refused | undefined;
  state: FormState;
}) {
  const { item, locale, frame, refused, state } = props;
  const { hive, canTranslate, canApprove } = useHive();
  const isQueue = frame.in === "queue";
  const canWrite = canTranslate(locale);
  const isWritten = canWrite && !isTooLong(item);
  const waiting = item.forms.filter((form) => form.waiting !== undefined);
  const isOwn = locale.twoPeople === true && waiting.some((form) => form.waiting?.by === writerOf(hive));
  const mayApprove = canApprove(locale) && !isOwn && (waiting.length > 0 || locale.review === "all");
  const isStale = item.forms.some(({ formerSource }) => formerSource !== undefined);
  const hasText = item.forms.some(({ translation }) => translation !== undefined);
  const replaces = refused?.theirs !== undefined;
  const isReview = isQueue && mayApprove && waiting.length > 0;
  return (
    <>
      {!isQueue && (
        <>
          <label class="visually-hidden" for={`${state.form}-why`}>
            {t("translation.why_for_the_history")}
          </label>
          <input
            id={`${state.form}-why`}
            name="message"
            value={state.values["message"]}
            maxlength={1000}
            placeholder={t("translation.why_for_the_history_may")}
          />
        </>
      )}
      <div class="actions">
        {isReview && <ApproveAndNext locale={locale} isWritten={isWritten} />}
        {isWritten && isQueue && !isReview && (
          <button class="primary" name="change" value="next" aria-keyshortcuts="Control+Enter">
            {replaces ? t("work-form.replace_theirs_and_next") : t("work-form.save_and_next")}
            <Shortcut keys="Ctrl ↵" />
          </button>
        )}
        {isWritten && (
          <button
            class={isQueue ? undefined : "primary"}
            name="change"
            value="save"
            aria-keyshortcuts={isQueue ? "Control+S" : undefined}
          >
            {replaces ? t("translation.replace_theirs") : t("common.save")}
            {isQueue && <Shortcut keys="Ctrl S" />}
          </button>
        )}
        {mayApprove && !isReview && (
          <button name="change" value="approve" aria-keyshortcuts={isQueue ? "Control+Alt+Enter" : undefined}>
            {t(isQueue ? "work-form.approve_and_next" : "work-form.save_and_approve")}
          </button>
        )}
        {canWrite && isStale && !isQueue && (
          <button name="change" value="confirm">
            {t("translation.still_right")}
          </button>
        )}
        {isQueue && frame.previous !== undefined && (
          <a class="quiet button" href={frame.previous} rel="prev" aria-keyshortcuts="Alt+ArrowUp">
            {t("work-form.back")}
            <Shortcut keys="Alt ↑" />
          </a>
        )}
        {isQueue && (
          <>
            <a class="quiet button" href={frame.next} rel="next" aria-keyshortcuts="Alt+ArrowDown">
              {t("work-form.next")}
              <Shortcut keys="Alt ↓" />
            </a>
            {frame.isHidden ? (
              <button name="change" value="unskip">
                {t("work-form.show_again")}
              </button>
            ) : (
              <button class="quiet" name="change" value="skip">
                {t("work-form.hide_for_a_week")}
              </button>
            )}
          </>
        )}
        {canWrite && hasText && (
          <button class="quiet" name="change" value="remove">
            {t("common.remove_3")}
          </button>
        )}
        {refused?.leavesOutText === true && (
          <label class="check">
            <input type="checkbox" name="without_text" value="yes" />{" "}
            {t("work-form.go_on_without_what_i_wrote")}
          </label>
        )}
        {refused?.isFailing === true && hive.checks !== "strict" && (
          <label class="check">
            <input type="checkbox" name="checks" value="warn" /> {t("work-form.save_although_it_would_break")}
          </label>
        )}
      </div>
      {isQueue && canApprove(locale) && waiting.length > 0 && (
        <Aside
          name="reason"
          title={t("work-form.reject_it")}
          label={t("work-form.reason_which_the_writer_reads")}
          button={t("work-form.reject_and_next")}
          value="reject"
          keys="Control+Shift+Enter"
          text={refused?.reason}
          state={state}
        />
      )}
      {canWrite && (
        <Aside
          name="question"
          title={t("work-form.ask_about_it")}
          label={t("work-form.your_question_the_string_waits")}
          button={t(isQueue ? "work-form.ask_and_next" : "work-form.ask")}
          value="ask"
          text={refused?.question}
          state={state}
        />
      )}
    </>
  );
}

/**
 * The button that approves what was seen, or what somebody makes of it. A script names it by what it will do; where a locale
 * needs two people, a changed text is not approved by whoever has changed it.
 */
function ApproveAndNext({ locale, isWritten }: { locale: Locale; isWritten: boolean }) {
  const changed =
    locale.twoPeople === true
      ? { "data-changed": t("work-form.save_and_next"), "data-changed-value": "next" }
      : { "data-changed": t("work-form.save_approve_and_next"), "data-changed-value": "approve" };
  return (
    <button
      class="primary"
      name="change"
      value="approve"
      aria-keyshortcuts="Control+Enter"
      {...(isWritten && changed)}
    >
      <span>{t("work-form.approve_and_next")}</span>
      <Shortcut keys="Ctrl ↵" />
    </button>
  );
}

/** Why an answer was refused; of a conflict with both texts. */
function Refusal({ refused, item, lang }: { refused: Refused | undefined; item: EditedItem; lang: string }) {
  if (refused?.problem === undefined) return null;
  const { theirs, texts } = refused;
  return (
    <div class="refusal" role="alert">
      <p class="notice warn">{refused.problem}</p>
      <Findings findings={refused.findings} />
      {theirs !== undefined &&
        item.forms
          .filter(({ form }) => texts.has(form) && texts.get(form) !== theirs[form])
          .map(({ form }) => (
            <TheirsAndYours theirs={theirs[form]} yours={texts.get(form) ?? ""} lang={lang} />
          ))}
    </div>
  );
}
