/** The fields of the form in which translations are edited. */
import type { Child } from "hono/jsx";
import type { SyntaxName } from "../../../domain/checks/syntax-names.ts";
import { lengthIn } from "../../../domain/glossary/text-checks.ts";
import type { FoundTerm } from "../../../domain/glossary/term-index.ts";
import { partsOf } from "../../../domain/glossary/text-parts.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { SeenTexts } from "../../../domain/work/work.ts";
import type { EditableForm } from "../../../service/content/string-marks.ts";
import { MarkedText } from "../glossary/terms.tsx";
import { described, Problem } from "../parts/fields.tsx";
import { Findings, LiveFindings } from "../parts/findings.tsx";
import { directionOf } from "../parts/languages.ts";
import { attributeText, Code, maxOnOwnPage, maxShown, WordDiff } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import { languageName, t } from "../texts/texts.ts";

export interface EditedForm extends EditableForm {
  /** What it is called, where that is not the name of a form. */
  readonly label?: string;
  /** The terms of its source text, where that is shown. */
  readonly found?: readonly FoundTerm[];
}

/** A string in a locale, as it is edited. */
export interface EditedItem extends StringAddress {
  readonly syntax: SyntaxName;
  readonly forms: readonly EditedForm[];
  readonly expected: SeenTexts;
}

/** As many as there are keys for. */
const maxInsertions = 9;

/** The most characters of a source text that is shown at its full height. */
const maxUnscrolled = 500;

/** The field for the translation of one plural form, below its source text where that is shown, and the children. */
export function FormField(props: {
  form: EditedForm;
  item: EditedItem;
  lang: string;
  locale: Locale;
  text: string;
  state: FormState;
  hasFocus: boolean;
  isReadOnly: boolean;
  showsSource: boolean;
  /** Whether its label names the language, since there are fields for others. */
  isNamed: boolean;
  children: Child;
}) {
  const { form, item, lang, locale, text, state, hasFocus, isReadOnly, showsSource, isNamed, children } =
    props;
  const { source, formerSource, example, checked, found = [] } = form;
  const field = { name: form.form, state };
  const { id, ...about } = described(field);
  const isPlural = item.forms.length > 1 || example !== undefined;
  const whole = isNamed
    ? t("translation.translation", { locale: languageName(locale) })
    : t("work-form.translation");
  const { label: formName = form.form } = form;
  const label = isPlural
    ? `${formName}${example === undefined ? "" : t("work-form.such_as", { example })}`
    : whole;
  const hasFormer = showsSource && formerSource !== undefined;
  return (
    <div class="form-field">
      {isPlural && (
        <p class="small soft">
          <strong>{formName}</strong>
          {example !== undefined && <>{t("work-form.such_as", { example })}</>}
        </p>
      )}
      {showsSource && (
        <p
          class="source lead"
          id={`${id}-source`}
          data-source={source}
          // It scrolls by itself, which the keyboard must be able to do, too.
          tabindex={source.length > maxUnscrolled ? 0 : undefined}
        >
          <MarkedText text={source} syntax={item.syntax} terms={found} lang={lang} limit={maxOnOwnPage} />
        </p>
      )}
      {showsSource && <Differences form={form} id={id} lang={lang} locale={locale} />}
      {children}
      <input type="hidden" name="form" value={form.form} />
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea
        id={id}
        name="text"
        data-form={form.form}
        aria-invalid={about["aria-invalid"]}
        rows={rowsOf(showsSource ? 2 : 1, source, text)}
        lang={locale.code}
        dir={directionOf(locale.code)}
        readonly={isReadOnly}
        autofocus={state.problems.size === 0 ? hasFocus : about.autofocus}
        aria-describedby={[
          about["aria-describedby"],
          ...(showsSource ? [`${id}-source`] : []),
          ...(hasFormer ? [`${id}-former`] : []),
          `${id}-length`,
        ].join(" ")}
      >
        {`\n${text}`}
      </textarea>
      <Problem {...field} />
      {!isReadOnly && <Insertions texts={argumentTexts(source, item.syntax)} hasKeys={showsSource} />}
      <p class="small soft length" id={`${id}-length`}>
        <LengthLeft form={form} text={text} />
      </p>
      {checked !== undefined && (
        <>
          {showsSource && <Findings findings={checked.findings} />}
          <LiveFindings checks={checked.checks} />
        </>
      )}
    </div>
  );
}

/** What has changed since a text was translated, and since it was approved. */
export function Differences(props: { form: EditedForm; id: string; lang: string; locale: Locale }) {
  const { form, id, lang, locale } = props;
  const { source, formerSource, waiting, translation } = form;
  return (
    <>
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
    </>
  );
}

/** How long a text is of what it may be. A script keeps it up to date. */
function LengthLeft({ form: { checked }, text }: { form: EditedForm; text: string }) {
  const limit = checked?.checks.limit;
  if (limit === undefined) return null;
  return <>{t(`script.length_in_${limit.unit}`, { length: lengthIn(limit, text), most: limit.most })}</>;
}

/** Buttons that insert arguments of the source text; they need a script. @param props.hasKeys whether keys do so, too. */
function Insertions({ texts, hasKeys }: { texts: readonly string[]; hasKeys: boolean }) {
  if (texts.length === 0) return null;
  return (
    <p class="insertions">
      {texts.map((text, i) => (
        <button
          type="button"
          class="chip"
          data-insert={text}
          title={t("work-form.insert", { text: attributeText(text) })}
          aria-keyshortcuts={hasKeys ? `Alt+${i + 1}` : undefined}
        >
          <Code name={text} />
        </button>
      ))}
    </p>
  );
}

/** How the arguments of a source text are written, each once. */
function argumentTexts(source: string, syntax: SyntaxName): readonly string[] {
  if (source.length > maxShown) return [];
  const texts = partsOf(syntax, source, []).flatMap(({ text, argument }) =>
    argument === undefined ? [] : [text],
  );
  return [...new Set(texts)].slice(0, maxInsertions);
}

function rowsOf(least: number, ...texts: readonly string[]): number {
  const lines = texts.map((one) => Math.ceil(one.length / 70) + one.split("\n", 16).length - 1);
  return Math.min(16, Math.max(least, ...lines));
}

/** A further answer, which needs a text of its own. */
export function Aside(props: {
  name: "question" | "reason";
  title: string;
  label: string;
  button: string;
  value: string;
  /** The keys that open it. */
  keys?: string;
  /** What was written before. */
  text: string | undefined;
  state: FormState;
}) {
  const { name, title, label, button, value, keys, text = "", state } = props;
  const field = { name, state };
  return (
    <details class="editing" open={state.problems.has(name) || text !== ""}>
      <summary aria-keyshortcuts={keys}>{title}</summary>
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
