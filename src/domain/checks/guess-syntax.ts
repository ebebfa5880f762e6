/** Which syntax a file has, as its name and its texts show it; and a message of gettext, as its flags do. */
import { withoutEquivalents } from "./message.ts";
import type { SyntaxName } from "./syntax-names.ts";

export interface SourceTexts {
  readonly texts: ReadonlyMap<string, string>;
}

export interface NamedFile extends SourceTexts {
  readonly name: string;
}

function* allOf(files: readonly SourceTexts[]): Generator<string> {
  for (const { texts } of files) yield* texts.values();
}

/** The syntax that the files of one ending show together, each by the signs of its name. */
export function guessTogether(ending: string, files: readonly NamedFile[]): SyntaxGuess {
  if (!files.some(({ name }) => isOfSymfony.test(name))) return guessSyntax(ending, allOf(files));
  const votes = new Map<SyntaxName, Vote>();
  let left = maxTexts;
  // Its ICU messages stand beside others, which are most.
  const others = files.filter(({ name }) => !name.includes("+intl-icu."));
  for (const { name, texts } of others.length > 0 ? others : files) {
    count(votes, signsOf(name) ?? signs, texts.values(), left);
    left = Math.max(0, left - texts.size);
  }
  return elected(votes);
}

/** As many texts of one file as show that it has another syntax than the others. */
const minShown = 2;

/** Syntaxes that have an argument in the same braces: a file with such arguments alone is of each of them. */
const bracedAlike: ReadonlySet<SyntaxName> = new Set(["icu", "brace", "java"]);

/**
 * The syntax of a file among others of its ending; undefined where nothing shows it.
 * @param usual the syntax of most of these. It stays unless the file has nothing of it, and several texts of another. A word
 * behind a colon alone, as in `:smile:`, is no sign of Laravel in a file of another program.
 */
export function ownSyntax(usual: SyntaxName, votes: Votes): SyntaxGuess | undefined {
  const guess = elected(votes);
  const { syntax } = guess;
  if (votes.has(usual) || (bracedAlike.has(syntax) && bracedAlike.has(usual))) return { syntax: usual };
  const isSure = syntax !== "laravel" && (votes.get(syntax)?.count ?? 0) >= minShown;
  return isSure ? guess : undefined;
}

/** Endings of which all files have one syntax. */
const byEnding: readonly (readonly [ending: string, syntax: SyntaxName])[] = [
  [".arb", "flutter"],
  [".ftl", "fluent"],
  [".php", "laravel"],
  [".po", "printf"],
  [".pot", "printf"],
  [".strings", "printf"],
  [".stringsdict", "printf"],
  [".ts", "qt"],
  [".xcstrings", "printf"],
  [".xml", "android"],
];

/**
 * What shows a syntax in a text, the surest first. Elements `<x>`, and in XLIFF 2 such with `equiv`, are of Angular,
 * whose plurals are ICU's.
 */
export const signs: readonly (readonly [syntax: SyntaxName, sign: RegExp])[] = [
  [
    "icu",
    /\{\s*\w+\s*,\s*(?:plural|select|selectordinal|number|date|time)\s*[,}]|<x id="|<p[hc] id="[^"]*" equiv/,
  ],
  ["i18next", /\{\{[^{}]+\}\}|\$t\(/],
  ["rails", /%\{\w+\}|%<\w+>/],
  ["symfony", /(?<![\w%])%[a-z_][\w.]*%(?![\w%])/i],
  ["printf", /%(?:\d+\$)?(?:\(\w+\))?[+-]?\d*(?:\.\d+)?l{0,2}[sdif@u](?!\p{L})/u],
  // Arguments are counted from 1, or from 0: what has none of these is an address, such as a%26b.
  ["qt", /(?<![\d%])%L?[01](?![\d$.@]|\p{L})/u],
  ["chrome", /\$[A-Za-z_@][\w@]*\$/],
  ["brace", /\{[\w.]+\}/],
  ["laravel", /(?:^|[\s"'([>]):[a-z]\w+(?![\w:])/],
];

/** What shows a syntax in Java's files, before what shows one elsewhere. */
const javaSigns: typeof signs = [
  ["icu", /\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,/],
  ["java", /\{\d+[,}]/],
];

/** What shows a syntax in files with the name that those of browser extensions have: elsewhere `$5` is a price. */
const chromeSigns: typeof signs = [["chrome", /\$[A-Za-z_@][\w@]*\$|(?<![\w$])\$[1-9](?![\d.,])/]];

/**
 * Names of files that Symfony alone has, also with the code of the source locale: the texts of its validators, whose
 * arguments are `{{ limit }}`, and ICU messages.
 */
const isOfSymfony = /(?:^|\/)validators(?:\.[\w-]+)?\.(?:ya?ml|xlf|xliff|php|po)$|\+intl-icu\.[^/]*$/;

/** What shows a syntax in files of Symfony's validators. */
const validatorSigns: typeof signs = [
  ["symfony", /\{\{ ?\w+ ?\}\}|(?<![\w%])%[a-z_][\w.]*%(?![\w%])/i],
  ...signs,
];
const intlIcuSigns: typeof signs = [["icu", /\{/]];

/** What shows a syntax in gettext's files, which is that of C otherwise: Lingui has ICU messages and tags by number. */
const gettextSigns: typeof signs = [
  ["icu", /<\d+\/?>/],
  ...signs.filter(([syntax]) => ["icu", "printf", "qt", "brace"].includes(syntax)),
];

/** What shows a syntax in files of PHP, which are Laravel's otherwise: Symfony's catalogs have arguments between signs. */
const phpSigns: typeof signs = signs.filter(([syntax]) => ["symfony", "laravel"].includes(syntax));

/** Endings of several programs, one of which is the usual one. */
const signsByEnding: readonly (readonly [ending: string, own: typeof signs])[] = [
  [".po", gettextSigns],
  [".pot", gettextSigns],
  [".php", phpSigns],
];

/** Whether any of them may be in a text: there are nine, and most texts have none. */
const maySign = /[{%:$]|<x |<p[hc] |<\d/;

/** As many texts of a file as show its syntax. */
export const maxTexts = 2_000;

/** The first text that was written for Flutter's option `use-escaping`: nobody else doubles apostrophes, or quotes a brace. */
function escapedIn(texts: Iterable<string>): string | undefined {
  let read = 0;
  for (const text of texts) {
    if (++read > maxTexts) break;
    if (text.length < 10_000 && /''|'[{}]'/.test(text)) return text;
  }
  return undefined;
}

export interface SyntaxGuess {
  readonly syntax: SyntaxName;
  /** Why, for a person: an ending, or a text that shows it; undefined where nothing shows any syntax. */
  readonly reason?: string;
}

/**
 * Proposes a file's syntax. Where its texts show several, a message of ICU decides unless more texts are of a syntax that has
 * nothing of it, else the syntax of most texts.
 * @param file its name in the Hive.
 */
export function guessSyntax(file: string, texts: Iterable<string>): SyntaxGuess {
  const lower = file.toLowerCase();
  const sure = byEnding.find(([ending]) => lower.endsWith(ending));
  if (sure !== undefined) {
    const escaped = sure[1] === "flutter" ? escapedIn(texts) : undefined;
    if (escaped !== undefined) return { syntax: "flutter-escaped", reason: escaped };
    const usual = { syntax: sure[1], reason: `files ending in ${sure[0]}` };
    const own = signsOf(file);
    const shown = own && elected(votesIn(own, texts, maxTexts));
    return shown === undefined || shown.syntax === "text" || shown.syntax === usual.syntax ? usual : shown;
  }
  return elected(votesIn(signsOf(file) ?? signs, texts, maxTexts));
}

/** What shows the syntax of a file; undefined where its ending alone does. */
export function signsOf(file: string): typeof signs | undefined {
  const lower = file.toLowerCase();
  if (isOfSymfony.test(lower)) return lower.includes("+intl-icu.") ? intlIcuSigns : validatorSigns;
  const several = signsByEnding.find(([ending]) => lower.endsWith(ending));
  if (several !== undefined) return several[1];
  if (byEnding.some(([ending]) => lower.endsWith(ending))) return undefined;
  if (lower.endsWith(".properties")) return [...javaSigns, ...signs];
  return /(?:^|\/)messages\.json$/.test(lower) ? [...chromeSigns, ...signs] : signs;
}

/** The syntaxes whose texts have nothing of ICU messages; an argument in braces may be one of them. */
const rivals = ["i18next", "printf"] as const;

interface Vote {
  readonly example: string;
  count: number;
  /** How many of them have nothing but names between double braces, which Symfony's texts may have, too. */
  inBraces: number;
}
type Votes = ReadonlyMap<SyntaxName, Vote>;

/** How many texts show each syntax, by the first sign that each of them has. @param limit how many texts are read. */
export function votesIn(own: typeof signs, texts: Iterable<string>, limit: number): Votes {
  const votes = new Map<SyntaxName, Vote>();
  count(votes, own, texts, limit);
  return votes;
}

function count(
  votes: Map<SyntaxName, Vote>,
  own: typeof signs,
  texts: Iterable<string>,
  limit: number,
): void {
  let read = 0;
  for (const text of texts) {
    if (++read > limit) break;
    if (text.length >= 10_000 || !maySign.test(text)) continue;
    // What ICU messages quote is no argument of theirs, and no sign of another syntax.
    const shape = withoutEquivalents(text).replaceAll(/'\{[^']*'/g, " ");
    const shown = own.find(([, sign]) => sign.test(shape))?.[0];
    if (shown === undefined) continue;
    const vote = votes.get(shown) ?? { count: 0, inBraces: 0, example: text };
    vote.count++;
    if (!beyondBraces.test(shape)) vote.inBraces++;
    votes.set(shown, vote);
  }
}

/** What i18next and Go's templates have, and Symfony's texts have not. */
const beyondBraces = /\$t\(|\{\{(?! ?[a-z_][\w.-]* ?\}\})/i;

/** The syntax that most texts show. */
function elected(votes: Votes): SyntaxGuess {
  const icu = votes.get("icu");
  const symfony = votes.get("symfony");
  const i18next = votes.get("i18next");
  const [syntax, vote] =
    icu !== undefined && rivals.every((rival) => icu.count >= (votes.get(rival)?.count ?? 0))
      ? (["icu", icu] as const)
      : ([...votes].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []);
  if (syntax === undefined || vote === undefined) return { syntax: "text" };
  // An app of Symfony may have most of its arguments in double braces, which are checked there, too.
  const isBoth = syntax === "i18next" && i18next?.inBraces === i18next?.count;
  if (isBoth && symfony !== undefined && symfony.count >= minShown && symfony.count * maxBraces >= vote.count)
    return { syntax: "symfony", reason: symfony.example };
  return { syntax, reason: vote.example };
}

/** So many texts with arguments in double braces come with one that has some between percent signs in an app of Symfony. */
const maxBraces = 10;

/** The languages of gettext's flags, such as `#, python-brace-format`, by what a message of theirs is written in. */
const languages = {
  brace: ["python-brace", "perl-brace", "csharp", "rust", "c++"],
  java: ["java"],
  qt: ["qt", "qt-plural", "kde", "kde-kuit", "ycp"],
  rails: ["ruby"],
  printf: [
    ..."c objc python php java-printf perl javascript typescript go lua object-pascal modula2 tcl".split(" "),
    ..."awk sh-printf elisp librep gcc-internal gfc-internal d".split(" "),
  ],
  // Their arguments are of no syntax that is known here, and nothing of a text is an argument of C.
  text: ["lisp", "scheme", "smalltalk", "boost", "sh", "ocaml"],
} as const;

const syntaxByFlag: ReadonlyMap<string, SyntaxName> = new Map(
  (["brace", "java", "qt", "rails", "printf", "text"] as const).flatMap((syntax) =>
    languages[syntax].map((language) => [`${language}-format`, syntax] as const),
  ),
);

/**
 * The syntax of a message by its flags: that of the language for which it is a format, and none of its arguments where it is
 * no format of any.
 * @returns undefined where no flag says it.
 */
export function syntaxByFlags(flags: readonly string[]): SyntaxName | undefined {
  const shown = flags.flatMap((flag) => syntaxByFlag.get(flag) ?? [])[0];
  return shown ?? (flags.some((flag) => /^no-.+-format$/.test(flag)) ? "text" : undefined);
}
