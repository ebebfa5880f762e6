/** Checks the content of a Hive: whole files, or what a write adds and changes. */
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FindFormatRules, FormatRules } from "../files/file-formats.ts";
import type { FileName } from "../names.ts";
import { countItems, isStepDone, pause } from "../../slices.ts";
import type { KeyChange, TextAddress } from "../strings/hive-content.ts";
import { usualTranslation } from "../memory/usual-translations.ts";
import { excerpt } from "../text.ts";
import { pluralCategories } from "../strings/plural-forms.ts";
import { emptyFile, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import { defaultChecks, formatOf, syntaxOf } from "../checks/check-settings.ts";
import { checkAgainst, checkSource, checkStyle, isPlain, maxCheckedLength } from "../checks/check-text.ts";
import { checkLength, type LengthLimit } from "../checks/length.ts";
import { expectedTerms, termsIn } from "../glossary/expected-terms.ts";
import { checkTerms, type ExpectedMeanings } from "../glossary/term-findings.ts";
import { findingsIn, type CheckedText } from "../glossary/text-checks.ts";
import type { FoundTerm, TermIndex } from "../glossary/term-index.ts";
import type { FileNoteRules, NoteRules } from "../notes/note-tags.ts";
import {
  isFault,
  type CheckFinding,
  type CheckName,
  type Comparison,
  type TextContext,
} from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { knownReferences, unknownReferences } from "../checks/fluent.ts";
import { syntaxes } from "../checks/syntaxes.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

export interface LocatedFinding extends CheckFinding, TextAddress {
  /** The plural category, where the text is one form of a plural string. */
  readonly form?: string;
}

/** The texts that a finding is about; of a source text both are that text. */
export interface CheckedTexts {
  readonly source: string;
  readonly translation: string;
}

/** Called with each finding, as very many texts may have one. */
export type TakeFinding = (found: LocatedFinding, texts: CheckedTexts) => void;

interface CheckOptions {
  readonly settings: HiveSettings;
  readonly rulesOf: FindFormatRules;
  readonly withHints?: boolean;
  /** All translations of the file, which hints compare; {@link FileChecker.checkAll} has them. */
  readonly translations?: Texts;
  /** The terms that translations are to have; none when undefined. */
  readonly terms?: TermIndex;
  /** What notes say of single texts: how long translations may be, in which syntax they are, and which are kept as they are. */
  readonly noteRules?: NoteRules;
  /** Which findings are left out, because somebody accepted them; none when undefined. */
  readonly isAccepted?: (found: Pick<LocatedFinding, "locale" | "check">, texts: CheckedTexts) => boolean;
}

/** Source texts ready to be compared, in the order of their file, for as long as they are in use. */
const comparisons = moduleCache(
  new WeakCache<
    StringFile,
    { syntax: SyntaxName; terms: TermIndex | undefined; list: WeakRef<Comparison[]> }
  >(),
);

/** The comparisons of a source file that were made for other locales; the caller adds what is missing. */
function comparisonsOf(source: StringFile, syntax: SyntaxName, terms: TermIndex | undefined): Comparison[] {
  const known = comparisons.get(source);
  const kept = known?.syntax === syntax && known.terms === terms ? known.list.deref() : undefined;
  if (kept !== undefined) return kept;
  const list: Comparison[] = [];
  comparisons.set(source, { syntax, terms, list: new WeakRef(list) });
  return list;
}

/** The most forms of a plural. */
const maxForms = pluralCategories.length;

/** Of a text that has such a fault, nothing else is read. */
const isUnread: ReadonlySet<CheckName> = new Set(["syntax", "unchecked"]);

/** Of a text that is kept as it is, these findings say no more than that it is. */
const saysKept: ReadonlySet<CheckName> = new Set(["same-as-source", "term-missing"]);

/** As many characters as are checked, or searched for terms, in the time that a short item of a list takes. */
const charactersPerItem = 128;
const charactersPerTermItem = 16;

/** How many spellings are looked for. */
function spellingsOf(expected: readonly ExpectedMeanings[]): number {
  let count = 0;
  for (const terms of expected)
    for (const { spellings, forbidden } of terms) count += spellings.length + forbidden.length;
  return count;
}

/** What a message of ICU has, and no formula. */
const ofIcu = /\{[^{},]*,\s*(?:plural|select|selectordinal)\s*,/;

export class FileChecker {
  readonly file: FileName;
  readonly #source: StringFile;
  readonly #texts: Texts;
  readonly #syntax: SyntaxName;
  readonly #ownSyntaxes: FileNoteRules["syntaxes"] | undefined;
  readonly #sourceLocale: LocaleCode;
  readonly #withHints: boolean;
  #translations: Texts | undefined;
  readonly #terms: TermIndex | undefined;
  readonly #limits: FileNoteRules["limits"] | undefined;
  readonly #kept: FileNoteRules["kept"] | undefined;
  readonly #isAccepted: CheckOptions["isAccepted"];
  readonly #rules: FormatRules | undefined;
  #references: ReadonlySet<string> | undefined;

  /** @param source undefined for a file that there is not: nothing is found in it. */
  constructor(
    { settings, rulesOf, withHints = false, translations, terms, noteRules, isAccepted }: CheckOptions,
    file: FileName,
    source: StringFile | undefined = emptyFile,
  ) {
    this.file = file;
    this.#source = source;
    this.#texts = translatableTexts(source);
    const { checks = defaultChecks } = settings;
    this.#syntax = syntaxOf(checks, file, source);
    const { limits, syntaxes: own, kept } = noteRules?.get(file) ?? {};
    this.#ownSyntaxes = this.#syntax === "none" || own?.size === 0 ? undefined : own;
    this.#sourceLocale = settings.sourceLocale.code;
    this.#withHints = withHints;
    this.#translations = translations;
    this.#terms = terms;
    this.#limits = limits?.size === 0 ? undefined : limits;
    this.#kept = kept?.size === 0 ? undefined : kept;
    this.#isAccepted = isAccepted;
    this.#rules = rulesOf(file, formatOf(checks, file, source));
  }

  /** Finds what is wrong in a locale, in the order of the source file. */
  async checkAll(locale: LocaleCode, texts: Texts, take: TakeFinding): Promise<void> {
    const isSource = locale === this.#sourceLocale;
    const hasOwn = this.#ownSyntaxes !== undefined;
    const known = hasOwn ? [] : comparisonsOf(this.#source, this.#syntax, this.#terms);
    let place = 0;
    this.#translations = texts;
    for (const [key, source] of this.#texts) {
      if (isStepDone()) await pause();
      const text = texts.get(key);
      if (text !== undefined) {
        const compare = isSource ? this.#ofSource(key) : (known[place] ??= this.#against(key, source));
        this.#check({ locale, key }, { source, translation: text }, compare, take);
      }
      place++;
    }
  }

  check({ locale, key }: Omit<TextAddress, "file">, text: string, take: TakeFinding): void {
    const isSource = locale === this.#sourceLocale;
    const source = isSource ? text : this.#texts.get(key);
    const syntax = this.syntaxOf(key);
    if (source === undefined) return;
    const other = this.#otherOf(key) ?? "";
    const isGettext = this.#rules?.isGettext === true;
    const isText = !isGettext && [text, source, other].every((each) => isPlain(syntax, each));
    const mayFail = this.#mayFail(text);
    const isChecked = mayFail || this.#withHints || this.#terms !== undefined || this.#limits !== undefined;
    if (isText && !isChecked) return;
    const compare = isSource ? this.#ofSource(key) : this.#against(key, source);
    this.#check({ locale, key }, { source, translation: text }, compare, take);
  }

  /** Finds what is wrong in one translation. @returns undefined where there is no source text. */
  checkInto({ locale, key }: Omit<TextAddress, "file">, text: string): CheckedText | undefined {
    const source = this.#texts.get(key);
    if (source === undefined) return undefined;
    const syntax = this.syntaxOf(key);
    const terms = this.#terms === undefined ? [] : termsIn(this.#terms, syntax, source);
    const checks = {
      syntax,
      source,
      context: this.#contextOf(locale, key),
      terms: expectedTerms(terms, locale),
      limit: this.#limitOf(locale, key),
    };
    const found = findingsIn(checks, text);
    const texts = { source, translation: text };
    const findings = [...found, ...this.#unheld({ locale, key }, text, found)];
    return { checks, findings: findings.filter(({ check }) => this.#isOpen({ locale, key, check }, texts)) };
  }

  /** Whether nobody has said that a finding is none: by accepting it, or by a note that the text is kept as it is. */
  #isOpen(
    { locale, key, check }: Pick<LocatedFinding, "locale" | "key" | "check">,
    texts: CheckedTexts,
  ): boolean {
    if (saysKept.has(check) && this.#isKept(key)) return false;
    return this.#isAccepted?.({ locale, check }, texts) !== true;
  }

  /** Whether a string is not to be translated; a note on one plural form is about all of them. */
  #isKept(key: string): boolean {
    const kept = this.#kept;
    if (kept === undefined) return false;
    const { own, added } = this.#source.plurals?.formOf(key)?.string ?? { own: [], added: [] };
    return [key, ...own, ...added].some((each) => kept.has(each));
  }

  /** How long a text may be; a form that only translations have may be as long as `other`. */
  #limitOf(locale: LocaleCode, key: string): LengthLimit | undefined {
    if (this.#limits === undefined || locale === this.#sourceLocale) return undefined;
    const form = this.#source.plurals?.formOf(key);
    return this.#limits.get(key) ?? (form && this.#limits.get(`${form.string.stem}other`));
  }

  /** Compares translations with a source text, and with its terms. */
  #against(key: string, source: string): Comparison {
    const syntax = this.syntaxOf(key);
    const terms = this.#terms;
    const compare = checkAgainst(syntax, source);
    if (terms === undefined) return compare;
    let found: readonly FoundTerm[] | undefined;
    return (translation, context) => {
      if (found === undefined) {
        found = termsIn(terms, syntax, source);
        countItems(source.length / charactersPerTermItem);
      }
      const findings = compare(translation, context);
      if (found.length === 0) return findings;
      const expected = expectedTerms(found, context.locale);
      countItems(spellingsOf(expected) + translation.length / charactersPerTermItem);
      return [...findings, ...checkTerms(expected, syntax, translation, context.locale)];
    };
  }

  /** What is wrong with a source text by itself. */
  #ofSource(key: string): Comparison {
    const syntax = this.syntaxOf(key);
    // Angular reads messages of ICU alone; other braces of a text are shown as they are.
    const isOfAngular = syntax === "icu" && this.#rules?.isXliff === true;
    return (text) => (isOfAngular && !ofIcu.test(text) ? [] : checkSource(syntax, text));
  }

  #unknownReferences(
    { locale, key }: Omit<TextAddress, "file">,
    translation: string,
  ): readonly CheckFinding[] {
    if (
      locale === this.#sourceLocale ||
      this.syntaxOf(key) !== "fluent" ||
      translation.length > maxCheckedLength
    )
      return [];
    this.#references ??= knownReferences(this.#texts);
    return unknownReferences(translation, this.#references);
  }

  /** Whether the file's format may not hold a text. Where nothing is checked, it is not asked. */
  #mayFail(text: string): boolean {
    return this.#syntax !== "none" && this.#rules?.mayFail?.test(text) === true;
  }

  /** What the file's format cannot hold of a translation, unless that could not be read at all. */
  #unheld(
    { locale, key }: Omit<TextAddress, "file">,
    translation: string,
    findings: readonly CheckFinding[],
  ): readonly CheckFinding[] {
    if (
      locale === this.#sourceLocale ||
      !this.#mayFail(translation) ||
      findings.some(({ check, severity }) => isUnread.has(check) && severity === "error")
    )
      return [];
    const problem = this.#rules?.problemIn?.(translation, key, this.#texts);
    if (problem === undefined) return [];
    return [{ check: "format", severity: "error", message: `cannot be in the app's file: it ${problem}` }];
  }

  /** How the text of a key is written. */
  syntaxOf(key: string): SyntaxName {
    if (this.#ownSyntaxes === undefined) return this.#syntax;
    const form = this.#source.plurals?.formOf(key);
    const own = this.#ownSyntaxes.get(key) ?? (form && this.#ownSyntaxes.get(`${form.string.stem}other`));
    return own ?? this.#syntax;
  }

  #check(
    { locale, key }: Omit<TextAddress, "file">,
    texts: CheckedTexts,
    compare: Comparison,
    take: TakeFinding,
  ): void {
    const context = this.#contextOf(locale, key);
    const { form } = context;
    const { source, translation } = texts;
    const { file } = this;
    countItems((source.length + translation.length) / charactersPerItem);
    const takeAll = (found: readonly CheckFinding[]): void => {
      for (const each of found) {
        if (this.#isOpen({ locale, key, check: each.check }, texts))
          take({ ...each, locale, file, key, form }, texts);
      }
    };
    const compared = compare(translation, context);
    takeAll(compared);
    takeAll(this.#unheld({ locale, key }, translation, compared));
    takeAll(this.#unknownReferences({ locale, key }, translation));
    const limit = this.#limitOf(locale, key);
    if (limit !== undefined) takeAll(checkLength(limit, translation));
    if (!this.#withHints) return;
    takeAll(checkStyle(source, translation, context, this.syntaxOf(key)));
    takeAll(this.#otherTranslation({ locale, key }, translation));
  }

  /** A hint where most strings of the file with the same source text have another translation. */
  #otherTranslation({ locale, key }: Omit<TextAddress, "file">, text: string): readonly CheckFinding[] {
    if (this.#translations === undefined || locale === this.#sourceLocale || text === "") return [];
    const usual = usualTranslation(this.#source, this.#translations, key);
    if (usual === undefined || usual.text === text) return [];
    const message = `differs from the translation of ${excerpt(usual.key)}, which has the same source text`;
    return [{ check: "inconsistent", severity: "hint", message, expected: usual.text }];
  }

  /**
   * The source text of the form `other`. Of a list that may be a plural of the source language, each text may have the
   * arguments of the last: a language without plurals has the first alone, and others count otherwise.
   */
  #otherOf(key: string): string | undefined {
    const form = this.#source.plurals?.formOf(key);
    if (form !== undefined || !/\.[0-4]$/.test(key)) return form?.string.text;
    const stem = key.slice(0, -1);
    const forms: string[] = [];
    for (let text = this.#texts.get(`${stem}0`); text !== undefined && forms.length <= maxForms;) {
      forms.push(text);
      text = this.#texts.get(stem + String(forms.length));
    }
    const last = forms.length - 1;
    return Number(key.at(-1)) < last && this.#mayBePlural(forms, key) ? forms[last] : undefined;
  }

  /**
   * Whether a list may be a plural: it has two texts, or more, of which the last two have the same arguments, and
   * others no more.
   */
  #mayBePlural(forms: readonly string[], key: string): boolean {
    if (forms.length <= 2) return true;
    if (forms.length > maxForms) return false;
    const [last, ...before] = forms.toReversed().map((text) => this.#argumentsOf(text, key));
    if (last === undefined || before[0]?.size !== last.size) return false;
    return before.every((names) => names !== undefined && [...names].every((name) => last.has(name)));
  }

  /** The names of a text's arguments; undefined where it cannot be read. */
  #argumentsOf(text: string, key: string): ReadonlySet<string> | undefined {
    if (text.length > maxCheckedLength) return undefined;
    const message = syntaxes[this.syntaxOf(key)].parse(text);
    return isFault(message) ? undefined : new Set(message.arguments.map(({ name }) => name));
  }

  #contextOf(locale: LocaleCode, key: string): TextContext {
    const form = this.#source.plurals?.formOf(key);
    return {
      locale,
      sourceLocale: this.#sourceLocale,
      form: form?.category,
      sourceOther: this.#otherOf(key),
      isEscaped: syntaxes[this.syntaxOf(key)].isEscaped?.(key),
      isGettext: this.#rules?.isGettext,
      given: syntaxes[this.syntaxOf(key)].given?.(key),
    };
  }
}

/**
 * Finds the texts that a write adds or changes so that something is wrong with them.
 * @param checkerOf for the source files as the write leaves them.
 */
export async function faultyChanges(
  changes: readonly KeyChange[],
  checkerOf: (file: FileName) => FileChecker,
): Promise<readonly KeyChange[]> {
  await pause();
  const faulty: KeyChange[] = [];
  let checker: FileChecker | undefined;
  for (const change of changes) {
    if (isStepDone()) await pause();
    const { file, before, after } = change;
    if (after === undefined || after === before) continue;
    if (checker?.file !== file) checker = checkerOf(file);
    let isFaulty = false;
    checker.check(change, after, () => (isFaulty = true));
    if (isFaulty) faulty.push(change);
  }
  return faulty;
}
