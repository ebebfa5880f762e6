/** The middle of the page of work: the string with its source texts, and the form with a field for each plural form. */
import type { Child } from "hono/jsx";
import { writerOf } from "../../../domain/access/principal.ts";
import { lengthIn } from "../../../domain/glossary/text-checks.ts";
import { partsOf } from "../../../domain/glossary/text-parts.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { PageForm, PageItem, PageWork } from "../../../service/work/work-page.ts";
import { SourceText } from "../glossary/terms.tsx";
import { NoteDetails } from "../notes/notes.tsx";
import { directionOf } from "../parts/languages.ts";
import { PostForm, HiddenFields } from "../parts/post-form.tsx";
import { stringLink } from "../parts/string-link.ts";
import { Code, maxOnOwnPage, Name, Text } from "../parts/text.tsx";
import { Findings, LiveFindings, type ShownFinding } from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import { StringPictures } from "../pictures/pictures.tsx";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { nameOf } from "./filters.ts";
import { WorkMark } from "./work-mark.tsx";

/** The id of the form, for the buttons that stand outside it. */
export const formId = "work";

/** An answer that was not taken, or not sent yet. */
export interface Refused {
  /** What was written, by form. */
  readonly texts: ReadonlyMap<string, string>;
  readonly question: string;
  readonly reason: string;
  /** What was seen when it was begun; what is there now counts where it is undefined. */
  readonly expected: string | undefined;
  /** Why it was refused; undefined where nothing was refused. */
  readonly problem: string | undefined;
  /** The field that is wrong, of those that are not texts. */
  readonly field?: "question" | "reason";
  readonly findings: readonly ShownFinding[];
  /** Whether errors were found that the user may let pass. */
  readonly isFailing: boolean;
  /** The stored texts, of a conflict. */
  readonly theirs?: Readonly<Record<string, string | null>>;
}

/** A string with the form that answers it. */
export function WorkForm({
  request,
  work,
  item,
  filters,
  previous,
  refused,
}: {
  readonly request: HiveRequest;
  readonly work: PageWork;
  readonly item: PageItem;
  readonly filters: LinkQuery;
  /** The address of the string before. */
  readonly previous: string | undefined;
  readonly refused: Refused | undefined;
}) {
  const { hiveLink, session, canTranslate, canApprove } = request;
  const { locale, settings } = work;
  const lang = settings.sourceLocale.code;
  const canWrite = canTranslate(locale);
  const waiting = item.forms.filter((form) => form.waiting !== undefined);
  const isOwn =
    locale.twoPeople === true && waiting.some((form) => form.waiting?.by === writerOf(request.hive));
  const mayApprove = canApprove(locale) && !isOwn && (waiting.length > 0 || locale.review === "all");
  const isLong = item.forms.some(
    ({ source, translation = "" }) => Math.max(source.length, translation.length) > maxOnOwnPage,
  );
  return (
    <>
      <p class="where">
        <a href={stringLink(hiveLink, item.file, item.key)}>
          <Code name={item.key} />
        </a>{" "}
        <a class="file" href={hiveLink(["translate", codeOf(locale)], { ...filters, file: item.file })}>
          <Name name={item.file} />
        </a>{" "}
        {item.isOpen && <WorkMark state={item.state} />}
      </p>
      {item.ask !== undefined && (
        <p class="notice">
          Asked: <Text text={item.ask} />{" "}
          <a href={`${stringLink(hiveLink, item.file, item.key)}#edit-note`}>Answer it in the notes</a>
        </p>
      )}
      {item.rejected !== undefined && (
        <p class="notice warn">
          Rejected: <Text text={item.rejected} />
        </p>
      )}
      <Refusal refused={refused} item={item} lang={locale.code} />
      <PostForm
        session={session}
        to={hiveLink(["translate", codeOf(locale)], filters)}
        class="edit work"
        id={formId}
        isUnsaved={refused !== undefined}
        draft={nameOf(item)}
      >
        <HiddenFields fields={{ locale: codeOf(locale), file: item.file, key: item.key }} />
        <input type="hidden" name="seen" value={refused?.expected ?? JSON.stringify(item.expected)} />
        {item.forms.map((form, i) => (
          <FormField
            form={form}
            item={item}
            lang={lang}
            locale={locale}
            text={refused?.texts.get(form.form) ?? form.translation ?? ""}
            isFirst={i === 0}
            isReadOnly={!canWrite || isLong}
          >
            {i === 0 && (
              <NoteDetails hiveLink={hiveLink} notes={{ ...item.notes, team: withoutAsk(item.notes.team) }} />
            )}
          </FormField>
        ))}
        <div class="actions">
          {canWrite && !isLong && (
            <>
              <button class="primary" name="change" value="next" aria-keyshortcuts="Control+Enter">
                {refused?.theirs === undefined ? "Save and next" : "Replace theirs and next"}
              </button>
              <button name="change" value="save" aria-keyshortcuts="Control+S">
                Save
              </button>
            </>
          )}
          {mayApprove && (
            <button name="change" value="approve" aria-keyshortcuts="Control+Alt+Enter">
              Approve and next
            </button>
          )}
          <button class="quiet" name="change" value="skip" aria-keyshortcuts="Alt+ArrowDown">
            Skip
          </button>
          {previous !== undefined && (
            <a class="quiet button" href={previous} rel="prev" aria-keyshortcuts="Alt+ArrowUp">
              Back
            </a>
          )}
          {refused?.isFailing === true && request.hive.checks !== "strict" && (
            <label class="check">
              <input type="checkbox" name="checks" value="warn" /> Save although it would break the app
            </label>
          )}
        </div>
        {canWrite && request.hive.locales === undefined && (
          <Aside
            name="question"
            title="Ask about it"
            label="Your question. The string waits until somebody answers it"
            button="Ask and next"
            value="ask"
            refused={refused}
          />
        )}
        {canApprove(locale) && waiting.length > 0 && (
          <Aside
            name="reason"
            title="Reject it"
            label="Reason, which the writer reads"
            button="Reject and next"
            value="reject"
            refused={refused}
          />
        )}
      </PostForm>
      {isLong && (
        <p class="aside-text">
          This text is too long to change here. Use `skep push --translations` or the API.
        </p>
      )}
      <StringPictures
        pictures={item.pictures}
        strings={item.forms.map(({ key }) => ({ file: item.file, key }))}
        hiveLink={hiveLink}
      />
    </>
  );
}

/** The question stands above. */
function withoutAsk(team: PageItem["notes"]["team"]): PageItem["notes"]["team"] {
  return team === undefined ? undefined : { ...team, ask: undefined };
}

/** The source text of one plural form, the field for its translation, and between them the children. */
function FormField({
  form,
  item,
  lang,
  locale,
  text,
  isFirst,
  isReadOnly,
  children,
}: {
  readonly form: PageForm;
  readonly item: PageItem;
  readonly lang: string;
  readonly locale: PageWork["locale"];
  readonly text: string;
  readonly isFirst: boolean;
  readonly isReadOnly: boolean;
  readonly children: Child;
}) {
  const { source, formerSource, example, checked, found, waiting, translation } = form;
  const id = `work-${form.form}`;
  const isPlural = item.forms.length > 1 || example !== undefined;
  const label = isPlural
    ? `${form.form}${example === undefined ? "" : `, such as ${example}`}`
    : "Translation";
  return (
    <div class="form-field">
      {isPlural && (
        <p class="small soft">
          <strong>{form.form}</strong>
          {example !== undefined && <>, such as {example}</>}
        </p>
      )}
      <p class="source lead" data-source={source} data-arguments={argumentTexts(form, item)}>
        <SourceText string={{ source, syntax: item.syntax, terms: found }} lang={lang} limit={maxOnOwnPage} />
      </p>
      {formerSource !== undefined && (
        <p class="aside-text">
          Changed since it was translated: <WordDiff before={formerSource} after={source} lang={lang} />
        </p>
      )}
      {waiting?.approved !== undefined && waiting.approved !== translation && (
        <p class="aside-text">
          Since it was approved: <WordDiff before={waiting.approved} after={translation} lang={locale.code} />
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
        rows={rowsOf(source, text)}
        lang={locale.code}
        dir={directionOf(locale.code)}
        readonly={isReadOnly}
        autofocus={isFirst}
        aria-describedby={`${id}-length`}
      >
        {`\n${text}`}
      </textarea>
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
function LengthLeft({ form: { checked }, text }: { readonly form: PageForm; readonly text: string }) {
  const limit = checked?.checks.limit;
  if (limit === undefined) return null;
  return (
    <>
      {lengthIn(limit, text)} of {limit.most} {limit.unit}
    </>
  );
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
function Refusal({
  refused,
  item,
  lang,
}: {
  readonly refused: Refused | undefined;
  readonly item: PageItem;
  readonly lang: string;
}) {
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
            <dl class="texts">
              <div>
                <dt>Theirs, as it is now</dt>
                <dd>
                  {theirs[form] === null || theirs[form] === undefined ? (
                    <span class="nothing">no translation</span>
                  ) : (
                    <Text text={theirs[form]} lang={lang} />
                  )}
                </dd>
              </div>
              <div>
                <dt>Yours</dt>
                <dd>
                  <Text text={texts.get(form) ?? ""} lang={lang} />
                </dd>
              </div>
              <div>
                <dt>From theirs to yours</dt>
                <dd>
                  <WordDiff before={theirs[form] ?? undefined} after={texts.get(form)} lang={lang} />
                </dd>
              </div>
            </dl>
          ))}
    </div>
  );
}

/** A further answer, which needs a text of its own. */
function Aside({
  name,
  title,
  label,
  button,
  value,
  refused,
}: {
  readonly name: "question" | "reason";
  readonly title: string;
  readonly label: string;
  readonly button: string;
  readonly value: string;
  readonly refused: Refused | undefined;
}) {
  const isWrong = refused?.field === name;
  const text = refused?.[name] ?? "";
  return (
    <details class="editing" open={isWrong || text !== ""}>
      <summary>{title}</summary>
      <label for={`work-${name}`}>{label}</label>
      <textarea
        id={`work-${name}`}
        name={name}
        rows={2}
        maxlength={1000}
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={`problem-${name}`}
      >
        {`\n${text}`}
      </textarea>
      <p class="problem" id={`problem-${name}`}>
        {isWrong && "must not be empty"}
      </p>
      <button name="change" value={value}>
        {button}
      </button>
    </details>
  );
}
