/** A translation with its state, and the form that changes it. */
import { TheirsAndYours } from "./conflicts.tsx";
import { useHive } from "../requests/context.tsx";
import { writerOf } from "../../../domain/access/principal.ts";
import type { Child } from "hono/jsx";
import type { TextChecks } from "../../../domain/glossary/text-checks.ts";
import type { OriginKind } from "../../../domain/commits/origin.ts";
import type { TextFault } from "../../../domain/errors.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { FoundString, Translation, TranslationState } from "../../../domain/queries/string-search.ts";
import { editToken } from "../../../service/content/translation-edit.ts";
import { type LinkQuery, stringLink } from "../requests/links.ts";
import { directionOf, languageName } from "./languages.ts";
import { described, Problem } from "./fields.tsx";
import { PostForm } from "./post-form.tsx";
import { stateOf, type FormState } from "../requests/form.ts";
import { Code, maxOnOwnPage, maxShown, Name, WordDiff } from "./text.tsx";
import { t } from "../texts/texts.ts";

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

export type ShownFinding = Pick<TextFault, "check" | "severity" | "message" | "expected">;

/**
 * The findings of checks in a translation, each with the faulty part and the expected one.
 * @param props.action the button of a finding.
 */
export function Findings(props: {
  findings: readonly ShownFinding[];
  action?: (finding: ShownFinding) => Child;
}) {
  const { findings, action } = props;
  if (findings.length === 0) return null;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li>
          <span class={`mark ${finding.severity === "error" ? "failing" : "stale"}`}>
            <Name name={finding.message} dir="ltr" />
          </span>{" "}
          {finding.expected !== undefined && !finding.message.includes(finding.expected) && (
            <>{t("translation.expected", { expected: <Code name={finding.expected} /> })}</>
          )}
          {action?.(finding)}
        </li>
      ))}
    </ul>
  );
}

/** The findings of checks in a stored translation, with buttons that accept them as false alarms. */
export function StoredFindings(props: { shown: ShownTranslation; back?: LinkQuery }) {
  const { shown, back } = props;
  const { string, locale, translation } = shown;
  const { hiveLink, canTranslate } = useHive();
  const { findings } = translation.checked ?? { findings: [] };
  if (findings.length === 0) return null;
  const fields = { change: "accept", locale: codeOf(locale), ...backField(back) };
  return (
    <Findings
      findings={findings}
      action={({ check }) =>
        canTranslate(locale) && (
          <PostForm to={stringLink(hiveLink, string.file, string.key)} class="inline" hidden={fields}>
            <button class="quiet" name="check" value={check}>
              {t("translation.false_alarm")} <span class="visually-hidden">{check}</span>
            </button>
          </PostForm>
        )
      }
    />
  );
}

function backField(back: LinkQuery | undefined): Readonly<Record<string, string>> {
  return back === undefined ? {} : { back: JSON.stringify(back) };
}

export interface ShownTranslation {
  readonly string: Pick<FoundString, "file" | "key" | "source">;
  readonly locale: Locale;
  readonly translation: Translation;
}

export interface RefusedEdit {
  readonly locale: string;
  /** The text of the user; undefined for another kind of change. */
  readonly text: string | undefined;
  /** What was written, and what is wrong with it. */
  readonly state: FormState;
  readonly reason: string;
  readonly isConflict: boolean;
  readonly findings?: readonly ShownFinding[];
}

/** The id of the row of a string in a list. */
export function rowId({ file, key }: Pick<FoundString, "file" | "key">): string {
  return `s-${editToken(file, key).slice(0, 12)}`;
}

/**
 * The control that opens the form for a translation. Long texts have it only on the page of their string, since a list
 * of large forms would be too much for a browser; very long texts cannot be edited in the console.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 * @param props.terms the terms of the source text, where the page does not show them already.
 */
export function Editing(props: {
  shown: ShownTranslation;
  back?: LinkQuery;
  isOpen?: boolean;
  refused?: RefusedEdit;
  terms?: Child;
}) {
  const { shown, back, isOpen = false, refused, terms } = props;
  const request = useHive();
  const { string, locale, translation } = shown;
  if (!request.canTranslate(locale)) return null;
  const code = codeOf(locale);
  const id = `edit-${rowId(string)}-${code}`;
  const name = translation.text === undefined ? t("common.translate") : t("translation.edit");
  const longest = Math.max(string.source.length, translation.text?.length ?? 0);
  if (longest > maxOnOwnPage) {
    return <p class="aside-text">{t("translation.this_text_is_too_long")}</p>;
  }
  if (longest > maxShown && !isOpen) {
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
      {refused !== undefined && <Refusal shown={shown} refused={refused} />}
      {terms}
      <EditForm shown={shown} id={id} back={back} refused={refused} />
    </details>
  );
}

/** Identifies a form among others of the page, for screen readers. */
function Which({ shown: { string, locale }, isInList }: { shown: ShownTranslation; isInList: boolean }) {
  return <span class="visually-hidden"> {isInList ? <Name name={string.key} /> : languageName(locale)}</span>;
}

/** The reason why an edit was refused; for a conflict with both texts. */
function Refusal(props: { shown: ShownTranslation; refused: RefusedEdit }) {
  const { shown, refused } = props;
  const { locale, translation } = shown;
  const { text, reason, isConflict, findings = [] } = refused;
  return (
    <div class="refusal" role="alert">
      <p class="notice warn">{reason}</p>
      <Findings findings={findings} />
      {isConflict && text !== undefined && (
        <TheirsAndYours theirs={translation.text} yours={text} lang={locale.code} />
      )}
    </div>
  );
}

/** The form that writes, confirms or removes a translation. Its edit token prevents it from replacing newer texts. */
function EditForm(props: {
  shown: ShownTranslation;
  id: string;
  back: LinkQuery | undefined;
  refused: RefusedEdit | undefined;
}) {
  const { shown, id, back, refused } = props;
  const { string, locale, translation } = shown;
  const { hiveLink } = useHive();
  const text = refused?.text ?? translation.text ?? "";
  const state = { ...stateOf(refused?.state, "edit"), form: id };
  const rows = Math.min(
    12,
    Math.max(
      1,
      ...[string.source, text].map((one) => Math.ceil(one.length / 60) + one.split("\n", 13).length - 1),
    ),
  );
  return (
    <PostForm
      to={stringLink(hiveLink, string.file, string.key)}
      class="edit"
      isUnsaved={refused?.text !== undefined}
      hidden={{
        locale: codeOf(locale),
        seen: editToken(string.source, translation.text),
        ...backField(back),
      }}
    >
      <label class="visually-hidden" for={`${id}-text`}>
        {t("translation.translation", { locale: languageName(locale) })}
      </label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea
        {...described({ name: "text", state })}
        rows={rows}
        lang={locale.code}
        dir={directionOf(locale.code)}
      >
        {`\n${text}`}
      </textarea>
      <Problem name="text" state={state} />
      {translation.checked !== undefined && <LiveFindings checks={translation.checked.checks} />}
      <label class="visually-hidden" for={`${id}-why`}>
        {t("translation.why_for_the_history")}
      </label>
      <input
        id={`${id}-why`}
        name="message"
        value={state.values.message}
        maxlength={1000}
        placeholder={t("translation.why_for_the_history_may")}
      />
      <div class="actions">
        <button class="primary" name="change" value="write">
          {refused?.isConflict === true && translation.text !== undefined
            ? t("translation.replace_theirs")
            : t("common.save")}
        </button>
        {translation.state === "stale" && (
          <button name="change" value="confirm">
            {t("translation.still_right")}
          </button>
        )}
        {translation.text !== undefined && (
          <button class="quiet" name="change" value="remove">
            {t("common.remove_3")}
          </button>
        )}
      </div>
    </PostForm>
  );
}

/** The place where a script lists findings of checks while the user types. */
export function LiveFindings({ checks }: { checks: TextChecks }) {
  return <div class="findings" role="status" data-check={JSON.stringify(checks)} />;
}

/**
 * A translation that waits for a review: the text that was approved last, and the form that approves or rejects it.
 * @param props.back the query of the list to return to afterwards; undefined for the string's own page.
 * @param props.refused the state of a rejection that was refused.
 */
export function Waiting(props: { shown: ShownTranslation; back?: LinkQuery; refused?: FormState }) {
  const { shown, back, refused } = props;
  const { string, locale, translation } = shown;
  const request = useHive();
  if (translation.review === undefined) return null;
  const { text, approved, by } = translation.review;
  const isOwn = locale.twoPeople === true && by === writerOf(request.hive);
  const state = { ...stateOf(refused, "review"), form: `review-${rowId(string)}-${locale.code}` };
  const reason = { name: "reason", state };
  const { file, key } = string;
  const fields = { locale: codeOf(locale), file, key, seen: text, ...backField(back) };
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
            <PostForm to={request.hiveLink(["review"])} class="inline" hidden={fields}>
              <button name="review" value="approve">
                {t("translation.approve", { which })}
              </button>
            </PostForm>
          )}
          <PostForm to={request.hiveLink(["review"])} class="decision" hidden={fields}>
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
            <button class="quiet" name="review" value="reject">
              {t("translation.reject", { which })}
            </button>
            <Problem {...reason} />
          </PostForm>
        </div>
      )}
    </div>
  );
}
