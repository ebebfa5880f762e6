/** The middle of the page of work: the string with its source texts, and the form with a field for each plural form. */
import { TheirsAndYours } from "../parts/conflicts.tsx";
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { writerOf } from "../../../domain/access/principal.ts";
import { lengthIn } from "../../../domain/glossary/text-checks.ts";
import { partsOf } from "../../../domain/glossary/text-parts.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { PageForm, PageItem, PageWork } from "../../../service/work/work-page.ts";
import { SourceText } from "../glossary/terms.tsx";
import { NoteDetails } from "../notes/notes.tsx";
import { directionOf } from "../parts/languages.ts";
import { described, Problem } from "../parts/fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { stateOf, type FormState } from "../requests/form.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { Key, maxOnOwnPage, Name, Text, WordDiff } from "../parts/text.tsx";
import { Findings, LiveFindings, type ShownFinding } from "../parts/translation.tsx";
import { StringPictures } from "../pictures/pictures.tsx";
import { nameOf, WorkMark } from "./queue.tsx";
import { t } from "../texts/texts.ts";

export const formId = "work";

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
}

/** The form that answers one string of the queue. */
export function WorkForm(props: {
  work: PageWork;
  item: PageItem;
  filters: LinkQuery;
  /** The address of the string before. */
  previous: string | undefined;
  refused: Refused | undefined;
}) {
  const { work, item, filters, previous, refused } = props;
  const { hive, hiveLink, canTranslate, canApprove } = useHive();
  const { locale, settings } = work;
  const lang = settings.sourceLocale.code;
  const canWrite = canTranslate(locale);
  const waiting = item.forms.filter((form) => form.waiting !== undefined);
  const isOwn = locale.twoPeople === true && waiting.some((form) => form.waiting?.by === writerOf(hive));
  const mayApprove = canApprove(locale) && !isOwn && (waiting.length > 0 || locale.review === "all");
  const isLong = item.forms.some(
    ({ source, translation = "" }) => Math.max(source.length, translation.length) > maxOnOwnPage,
  );
  return (
    <>
      <p class="where">
        <Key name={item.key} href={stringLink(hiveLink, item.file, item.key)} />{" "}
        <Name
          name={item.file}
          href={hiveLink(["translate", codeOf(locale)], { ...filters, file: item.file })}
          class="file"
        />{" "}
        {item.isOpen && <WorkMark state={item.state} />}
      </p>
      {item.ask !== undefined && (
        <p class="notice">
          {t("work-form.asked", {
            ask: <Text text={item.ask} />,
            link: (
              <a href={`${stringLink(hiveLink, item.file, item.key)}#edit-note`}>
                {t("work-form.answer_it_in_the_notes")}
              </a>
            ),
          })}
        </p>
      )}
      {item.rejected !== undefined && (
        <p class="notice warn">{t("work-form.rejected", { rejected: <Text text={item.rejected} /> })}</p>
      )}
      <Refusal refused={refused} item={item} lang={locale.code} />
      <PostForm
        to={hiveLink(["translate", codeOf(locale)], filters)}
        class="edit work"
        id={formId}
        isUnsaved={refused !== undefined}
        draft={nameOf(item)}
        hidden={{
          locale: codeOf(locale),
          file: item.file,
          key: item.key,
          seen: refused?.expected ?? JSON.stringify(item.expected),
        }}
      >
        {item.forms.map((form, i) => (
          <FormField
            form={form}
            item={item}
            lang={lang}
            locale={locale}
            text={refused?.texts.get(form.form) ?? form.translation ?? ""}
            state={stateOf(refused?.state, formId)}
            isFirst={i === 0}
            isReadOnly={!canWrite || isLong}
          >
            {i === 0 && <NoteDetails notes={{ ...item.notes, team: withoutAsk(item.notes.team) }} />}
          </FormField>
        ))}
        <div class="actions">
          {canWrite && !isLong && (
            <>
              <button class="primary" name="change" value="next" aria-keyshortcuts="Control+Enter">
                {refused?.theirs === undefined
                  ? t("work-form.save_and_next")
                  : t("work-form.replace_theirs_and_next")}
              </button>
              <button name="change" value="save" aria-keyshortcuts="Control+S">
                {t("common.save")}
              </button>
            </>
          )}
          {mayApprove && (
            <button
              class={canWrite ? undefined : "primary"}
              name="change"
              value="approve"
              aria-keyshortcuts="Control+Alt+Enter"
            >
              {t("work-form.approve_and_next")}
            </button>
          )}
          <button class="quiet" name="change" value="skip" aria-keyshortcuts="Alt+ArrowDown">
            {t("work-form.skip")}
          </button>
          {previous !== undefined && (
            <a class="quiet button" href={previous} rel="prev" aria-keyshortcuts="Alt+ArrowUp">
              {t("work-form.back")}
            </a>
          )}
          {refused?.leavesOutText === true && (
            <label class="check">
              <input type="checkbox" name="without_text" value="yes" />{" "}
              {t("work-form.go_on_without_what_i_wrote")}
            </label>
          )}
          {refused?.isFailing === true && hive.checks !== "strict" && (
            <label class="check">
              <input type="checkbox" name="checks" value="warn" />{" "}
              {t("work-form.save_although_it_would_break")}
            </label>
          )}
        </div>
        {canWrite && (
          <Aside
            name="question"
            title={t("work-form.ask_about_it")}
            label={t("work-form.your_question_the_string_waits")}
            button={t("work-form.ask_and_next")}
            value="ask"
            refused={refused}
          />
        )}
        {canApprove(locale) && waiting.length > 0 && (
          <Aside
            name="reason"
            title={t("work-form.reject_it")}
            label={t("work-form.reason_which_the_writer_reads")}
            button={t("work-form.reject_and_next")}
            value="reject"
            refused={refused}
          />
        )}
      </PostForm>
      {isLong && <p class="aside-text">{t("work-form.this_text_is_too_long")}</p>}
      <StringPictures
        pictures={item.pictures}
        strings={item.forms.map(({ key }) => ({ file: item.file, key }))}
      />
    </>
  );
}

/** The question stands above. */
function withoutAsk(team: PageItem["notes"]["team"]): PageItem["notes"]["team"] {
  return team === undefined ? undefined : { ...team, ask: undefined };
}

/** The most characters of a source text that is shown at its full height. */
const maxUnscrolled = 500;

/** The source text of one plural form, the field for its translation, and between them the children. */
function FormField(props: {
  form: PageForm;
  item: PageItem;
  lang: string;
  locale: PageWork["locale"];
  text: string;
  state: FormState;
  isFirst: boolean;
  isReadOnly: boolean;
  children: Child;
}) {
  const { form, item, lang, locale, text, state, isFirst, isReadOnly, children } = props;
  const { source, formerSource, example, checked, found, waiting, translation } = form;
  const field = { name: form.form, state };
  const { id, ...about } = described(field);
  const isPlural = item.forms.length > 1 || example !== undefined;
  const label = isPlural
    ? `${form.form}${example === undefined ? "" : t("work-form.such_as", { example })}`
    : t("work-form.translation");
  return (
    <div class="form-field">
      {isPlural && (
        <p class="small soft">
          <strong>{form.form}</strong>
          {example !== undefined && <>{t("work-form.such_as", { example })}</>}
        </p>
      )}
      <p
        class="source lead"
        id={`${id}-source`}
        data-source={source}
        data-arguments={argumentTexts(form, item)}
        // It scrolls by itself, which the keyboard must be able to do, too.
        tabindex={source.length > maxUnscrolled ? 0 : undefined}
      >
        <SourceText string={{ source, syntax: item.syntax, terms: found }} lang={lang} limit={maxOnOwnPage} />
      </p>
      {formerSource !== undefined && (
        <p class="aside-text" id={`${id}-former`}>
          {t("work-form.changed_since_it_was_translated")}{" "}
          <WordDiff before={formerSource} after={source} lang={lang} />
        </p>
      )}
      {waiting?.approved !== undefined && waiting.approved !== translation && (
        <p class="aside-text">
          {t("work-form.since_it_was_approved")}{" "}
          <WordDiff before={waiting.approved} after={translation} lang={locale.code} />
        </p>
      )}
      {children}
      <input type="hidden" name="form" value={form.form} />
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea
        id={id}
        name="text"
        aria-invalid={about["aria-invalid"]}
        rows={rowsOf(source, text)}
        lang={locale.code}
        dir={directionOf(locale.code)}
        readonly={isReadOnly}
        autofocus={state.problems.size === 0 ? isFirst : about.autofocus}
        aria-describedby={[
          about["aria-describedby"],
          `${id}-source`,
          ...(formerSource === undefined ? [] : [`${id}-former`]),
          `${id}-length`,
        ].join(" ")}
      >
        {`\n${text}`}
      </textarea>
      <Problem {...field} />
      <p class="small soft length" id={`${id}-length`}>
        <LengthLeft form={form} text={text} />
      </p>
      {checked !== undefined && (
        <>
          <Findings findings={checked.findings} />
          <LiveFindings checks={checked.checks} />
        </>
      )}
    </div>
  );
}

/** How long a text is of what it may be. A script keeps it up to date. */
function LengthLeft({ form: { checked }, text }: { form: PageForm; text: string }) {
  const limit = checked?.checks.limit;
  if (limit === undefined) return null;
  return <>{t(`script.length_in_${limit.unit}`, { length: lengthIn(limit, text), most: limit.most })}</>;
}

/** What arguments are written as, for the keys that insert them. */
function argumentTexts({ source, found }: PageForm, { syntax }: PageItem): string {
  const texts = partsOf(syntax, source, found).flatMap(({ text, argument }) =>
    argument === undefined ? [] : [text],
  );
  return JSON.stringify([...new Set(texts)].slice(0, 9));
}

function rowsOf(...texts: readonly string[]): number {
  const lines = texts.map((one) => Math.ceil(one.length / 70) + one.split("\n", 16).length - 1);
  return Math.min(16, Math.max(2, ...lines));
}

/** Why an answer was refused; of a conflict with both texts. */
function Refusal({ refused, item, lang }: { refused: Refused | undefined; item: PageItem; lang: string }) {
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

/** A further answer, which needs a text of its own. */
function Aside(props: {
  name: "question" | "reason";
  title: string;
  label: string;
  button: string;
  value: string;
  refused: Refused | undefined;
}) {
  const { name, title, label, button, value, refused } = props;
  const state = stateOf(refused?.state, formId);
  const field = { name, state };
  const text = refused?.[name] ?? "";
  return (
    <details class="editing" open={state.problems.has(name) || text !== ""}>
      <summary>{title}</summary>
      <label for={described(field).id}>{label}</label>
      <textarea {...described(field)} rows={2} maxlength={1000}>
        {`\n${text}`}
      </textarea>
      <Problem {...field} />
      <button name="change" value={value}>
        {button}
      </button>
    </details>
  );
}
