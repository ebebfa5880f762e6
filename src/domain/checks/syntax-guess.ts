/** Proposes the syntax of a file from its ending and its texts. */
import { withoutEquivalents } from "./message.ts";
import type { SyntaxName } from "./syntax-names.ts";

/** Endings of which all files have one syntax. */
const byEnding: readonly (readonly [ending: string, syntax: SyntaxName])[] = [
  [".arb", "icu"],
  [".ftl", "fluent"],
  [".php", "laravel"],
  [".po", "printf"],
  [".pot", "printf"],
  [".strings", "printf"],
  [".stringsdict", "printf"],
  // Qt's own %1 and %n are of no syntax that is known here.
  [".ts", "none"],
  [".xcstrings", "printf"],
  [".xml", "android"],
];

/** What shows a syntax in a text, the surest first. An element `<x>` is of Angular, whose plurals are ICU's. */
const signs: readonly (readonly [syntax: SyntaxName, sign: RegExp])[] = [
  ["icu", /\{\s*\w+\s*,\s*(?:plural|select|selectordinal|number|date|time)\s*[,}]|<x id="/],
  ["i18next", /\{\{[^{}]+\}\}|\$t\(/],
  ["rails", /%\{\w+\}|%<\w+>/],
  ["printf", /%(?:\d+\$)?(?:\(\w+\))?[+-]?\d*(?:\.\d+)?l{0,2}[sdif@u](?!\p{L})/u],
  ["brace", /\{[\w.]+\}/],
  ["laravel", /(?:^|[\s"'([>]):[a-z]\w+(?![\w:])/],
];

/** What shows a syntax in Java's files, before what shows one elsewhere. */
const javaSigns: typeof signs = [
  ["icu", /\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,/],
  ["java", /\{\d+[,}]/],
];

/** As many texts of a file as show its syntax. */
const maxTexts = 2_000;

/** A proposal, and the text that it was made for. */
export interface SyntaxGuess {
  readonly syntax: SyntaxName;
  /** Why, for a person: an ending, or a text that shows it; undefined where nothing shows any syntax. */
  readonly reason?: string;
}

/**
 * Proposes a file's syntax. Where its texts show several, a message of ICU decides, else the syntax of most texts.
 * @param file its name in the Hive.
 */
export function guessSyntax(file: string, texts: Iterable<string>): SyntaxGuess {
  const lower = file.toLowerCase();
  const known = byEnding.find(([ending]) => lower.endsWith(ending));
  if (known !== undefined) return { syntax: known[1], reason: `files ending in ${known[0]}` };
  const own = lower.endsWith(".properties") ? [...javaSigns, ...signs] : signs;
  const votes = new Map<SyntaxName, { count: number; example: string }>();
  let read = 0;
  for (const text of texts) {
    if (++read > maxTexts) break;
    if (text.length >= 10_000) continue;
    const shape = withoutEquivalents(text);
    const shown = own.find(([, sign]) => sign.test(shape))?.[0];
    if (shown === undefined) continue;
    const vote = votes.get(shown) ?? { count: 0, example: text };
    vote.count++;
    votes.set(shown, vote);
  }
  const icu = votes.get("icu");
  const [syntax, vote] =
    icu !== undefined && !votes.has("i18next")
      ? (["icu", icu] as const)
      : ([...votes].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []);
  return syntax === undefined || vote === undefined ? { syntax: "none" } : { syntax, reason: vote.example };
}
