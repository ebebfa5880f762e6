/** What a text says to the program that shows it: its arguments, and the forms that it chooses from. */

/** From the first unit of UTF-16 up to, but without, the last. */
export type TextRange = readonly [start: number, end: number];

/** A place in a text that the program fills in. */
export interface Argument {
  /** Its name; for arguments without one, their position counted from 1. */
  readonly name: string;
  /** What the program may give for it, in words of the syntax: `number`, `date`, `text`; `any` where nothing is said. */
  readonly kind: string;
  readonly range: TextRange;
  /** False where it only decides between branches: a language that does not distinguish them needs no argument. */
  readonly isShown?: boolean;
}

/** A plural or a selection among forms, inside a text. */
export interface Choice {
  /** The argument that decides. */
  readonly name: string;
  readonly kind: "plural" | "selectordinal" | "select";
  readonly branches: ReadonlyMap<string, MessageBranch>;
  readonly range: TextRange;
}

export interface MessageBranch {
  /** The names of the arguments in it, those of inner choices too. */
  readonly names: ReadonlySet<string>;
  readonly showsNumber: boolean;
  /** Where its text stands, of syntaxes that say so. */
  readonly range?: TextRange;
}

export interface Message {
  /** In the order of the text. A name may come several times. */
  readonly arguments: readonly Argument[];
  /** Whether its arguments have no names, so that leaving out one moves the others. */
  readonly isCounted?: boolean;
  readonly choices?: readonly Choice[];
  /** Where its text stands, of syntaxes in which that is not all beside the arguments. */
  readonly literals?: readonly TextRange[];
}

export interface SyntaxFault {
  readonly fault: string;
  readonly range: TextRange;
  /** Whether programs could read the text, and it is only too much to be checked. */
  readonly isLimit?: true;
  /** `syntax` where it is not said. */
  readonly check?: "syntax" | "branches";
}

/** The identifiers of all checks; they are part of the API. */
export const checkNames = [
  "syntax",
  "argument-extra",
  "argument-missing",
  "argument-type",
  "branches",
  "tag-extra",
  "tag-missing",
  "tag-unclosed",
  "markup-escaped",
  "unchecked",
  "format",
  "length",
  "term-missing",
  "term-forbidden",
  "ends",
  "blanks",
  "same-as-source",
  "inconsistent",
  "punctuation",
] as const;
export type CheckName = (typeof checkNames)[number];

/** Only an error can break an app; hints are shown to people alone. */
export const severities = ["error", "warning", "hint"] as const;
export type Severity = (typeof severities)[number];

export interface CheckFinding {
  readonly check: CheckName;
  readonly severity: Severity;
  /** One sentence for a person, without the file and the key. */
  readonly message: string;
  readonly found?: string;
  readonly expected?: string;
  readonly range?: TextRange;
}

export interface TextContext {
  /** The canonical code of the translation's locale. */
  readonly locale: string;
  /** The canonical code of the source locale; English where it is not said. */
  readonly sourceLocale?: string;
  /** The CLDR category of the text, where it is one form of a plural string. */
  readonly form?: string;
  /** The source text of the category `other`, where the source has the form itself. */
  readonly sourceOther?: string;
  /** The names of arguments that the app gives whatever the source text has. */
  readonly given?: readonly string[];
  /** Whether the text is of gettext's files, which `msgfmt` refuses where line breaks at the ends differ. */
  readonly isGettext?: boolean;
  /** Whether the app escapes the text, so that a tag is shown as it is written. False where it is not said. */
  readonly isEscaped?: boolean;
}

/** One syntax of messages. Every syntax passes the contract suite in `test/domain/checks/syntaxes.test.ts`. */
export interface MessageSyntax {
  /** Matches whatever could be an argument; a text without a match is an empty message, and is not parsed. */
  readonly special: RegExp;
  /** Whether a fault of a source text is certain to be one, so that it is found there, too. */
  readonly isStrict: boolean;
  /** Whether the app knows each tag by its name, so that none stands for another. */
  readonly hasNamedTags?: true;
  /** Whether apps escape the text of this key. Without this function they escape no text. */
  readonly isEscaped?: (key: string) => boolean;
  /** The arguments that apps give to the text of this key, whether the source text has them or not. */
  readonly given?: (key: string) => readonly string[];
  readonly parse: (text: string) => Message | SyntaxFault;
  /**
   * Parses a source text once for all its translations.
   * @param source of the same form as the translations where it has it, else of `other`.
   */
  readonly compareWith: (source: string) => Comparison;
}

/** Finds what is wrong with a translation of one source text. Never throws. */
export type Comparison = (translation: string, context: TextContext) => readonly CheckFinding[];

/** As many findings as are told of one text, the errors first. */
export const maxFindings = 20;

export const nothing: readonly CheckFinding[] = [];

/** Whether a text could not be parsed. */
export function isFault(result: Message | SyntaxFault): result is SyntaxFault {
  return "fault" in result;
}

/** The finding for a text that could not be parsed; an error. */
export function faultFinding(text: string, { fault, range, check = "syntax" }: SyntaxFault): CheckFinding {
  return { check, severity: "error", message: fault, found: text.slice(...range), range };
}

/**
 * A text whose inline elements of XLIFF do not repeat what they stand for, as Angular's do: `equiv-text="{{name}}"`, and
 * `disp="{{name}}"` in XLIFF 2. It is as long as it was.
 */
export function withoutEquivalents(text: string): string {
  if (!/\s(?:equiv-text|disp)/.test(text)) return text;
  return text.replaceAll(
    /(\s(?:equiv-text|disp(?:Start|End)?)=")([^"<>]*)"/g,
    (_, start: string, copy: string) => {
      return `${start}${" ".repeat(copy.length)}"`;
    },
  );
}
