/** The branches of an ICU message, as fields of their own: the form sends them, and the server makes one text of them. */
import { z } from "zod";
import {
  afterChoice,
  beforeChoice,
  branchNames,
  fromParts,
  splitText,
  typeOf,
  withParts,
} from "../../../domain/glossary/branches.ts";
import { categoriesOfNumbers } from "../../../domain/checks/categories.ts";
import { syntaxNames } from "../../../domain/checks/syntax-names.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { Findings } from "../parts/findings.tsx";
import { maxShown, Text } from "../parts/text.tsx";
import { check } from "../../schemas/schemas.ts";
import type { Form } from "../requests/form.ts";
import { t } from "../texts/texts.ts";
import { Differences, type EditedForm, type EditedItem } from "./editor-fields.tsx";

/** What a form sends back with the parts of a text: its form, and the text that is split. */
const splitSchema = z.strictObject({
  form: z.string(),
  syntax: z.enum(syntaxNames),
  /** The translation; of one that is begun, the source text. */
  text: z.string(),
  isNew: z.boolean(),
});

export interface SplitItem {
  readonly whole: EditedForm;
  readonly forms: readonly EditedForm[];
  /** For a hidden field. */
  readonly sent: string;
}

/**
 * A string of one form, with its branches in the place of that.
 * @param text what is written now.
 * @returns undefined for one that is edited as a whole.
 */
export function splitItem(item: EditedItem, locale: Locale, text: string | undefined): SplitItem | undefined {
  const [whole, ...others] = item.forms;
  if (whole === undefined || others.length > 0 || whole.source.length > maxShown) return undefined;
  const source = splitText(item.syntax, whole.source);
  const written = text ?? whole.translation ?? "";
  const isNew = written === "";
  const translation = isNew ? undefined : splitText(item.syntax, written);
  if (source === undefined || (!isNew && translation === undefined)) return undefined;
  const isOther = (one = source): boolean => one.argument !== source.argument || one.kind !== source.kind;
  if (isOther(translation)) return undefined;
  const numbers =
    source.kind === "select" ? undefined : categoriesOfNumbers(locale.code, typeOf(source.kind));
  const part = (name: string, label: string, ofSource: string): EditedForm => ({
    form: name,
    label,
    key: whole.key,
    source: ofSource,
    example: numbers?.get(name)?.[0],
    translation: translation?.parts.get(name) ?? "",
    formerSource: undefined,
    checked: undefined,
    waiting: undefined,
  });
  const around = (name: string, label: string): readonly EditedForm[] =>
    [source, translation].some((one) => (one?.parts.get(name) ?? "").trim() !== "")
      ? [part(name, label, source.parts.get(name) ?? "")]
      : [];
  const branches = branchNames(source, translation, locale.code);
  const sent: z.input<typeof splitSchema> = {
    form: whole.form,
    syntax: item.syntax,
    text: isNew ? whole.source : written,
    isNew,
  };
  return {
    whole,
    forms: [
      ...around(beforeChoice, t("branches-of-text.before")),
      ...branches.map((name) => part(name, name, source.parts.get(name) ?? source.parts.get("other") ?? "")),
      ...around(afterChoice, t("branches-of-text.after")),
    ],
    sent: JSON.stringify(sent),
  };
}

/** The texts of a form by their forms, of which one may have been split. @throws SkepError `invalid` on `split`. */
export function wholeTexts(form: Form, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (form.text("split") === "") return texts;
  const {
    form: name,
    syntax,
    text,
    isNew,
  } = check(splitSchema, jsonOrUndefined(form.text("split")), "split");
  const split = splitText(syntax, text);
  if (split === undefined) return texts;
  return new Map([[name, isNew ? fromParts(split, texts) : withParts(split, texts)]]);
}

/** What is said of the whole text above its parts, and the way to write it as one. */
export function WholeText(props: { split: SplitItem; id: string; lang: string; locale: Locale }) {
  const { split, id, lang, locale } = props;
  const { whole } = split;
  return (
    <>
      <Differences form={whole} id={id} lang={lang} locale={locale} />
      {whole.checked !== undefined && <Findings findings={whole.checked.findings} />}
      <details class="part">
        <summary>{t("branches-of-text.whole")}</summary>
        <p>
          <Text text={whole.source} lang={lang} />
        </p>
        <button class="quiet" name="shape" value="whole">
          {t("branches-of-text.edit_whole")}
        </button>
      </details>
    </>
  );
}
