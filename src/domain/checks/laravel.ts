/**
 * Laravel's texts: `:name`, also as `:Name` and `:NAME`, and forms between `|`, which may begin with `{0}` or `[1,*]`.
 * Laravel puts a value in wherever `:name` stands, even with letters around it, so the source text decides on names.
 */
import { extraFinding, mayOmitNumber, missingFinding, surplusFault } from "./arguments.ts";
import {
  faultFinding,
  isFault,
  nothing,
  type Argument,
  type CheckFinding,
  type Message,
  type MessageSyntax,
  type SyntaxFault,
  type TextContext,
} from "./message.ts";

/** Not `12:30`, `a::b`, `:smile:` or `http://`. */
const argument = /(?<![\w:/]):([A-Za-z_]\w*)(?![\w:])/g;
const condition = /^\s*(?:\{[^{}]*\}|[[\]][^[\]]*[[\]])/;

export const laravel: MessageSyntax = {
  special: /:[A-Za-z_]|\|/,
  isStrict: false,
  parse: parseLaravel,
  compareWith(source) {
    const from = parseLaravel(source);
    if (isFault(from)) return () => nothing;
    const own = namesIn(from);
    const isPlural = source.includes("|");
    return (translation, context) => {
      const to = parseLaravel(translation);
      if (isFault(to)) return [faultFinding(translation, to)];
      const other = context.sourceOther === undefined ? undefined : parseLaravel(context.sourceOther);
      const known = other === undefined || isFault(other) ? own : new Map([...own, ...namesIn(other)]);
      const isKnown = beginningFinder(known.keys());
      const shown = translation.toLowerCase();
      const missing = [...own.keys()].filter(
        (name) =>
          !shown.includes(`:${name}`) &&
          !(name === "count" && (isPlural || mayOmitNumber(context.form, context.locale))),
      );
      const findings: CheckFinding[] = [];
      let replaced = 0;
      for (const { name, range } of to.arguments) {
        // Of `:names`, where `name` is an argument, Laravel replaces the beginning.
        if (isKnown(name.toLowerCase())) continue;
        const instead = missing[replaced++];
        findings.push(
          extraFinding({ name, kind: "any", range }, translation, instead && `:${known.get(instead) ?? ""}`),
        );
      }
      const left = missing.slice(replaced);
      findings.push(...left.map((name) => missingFinding(`:${known.get(name) ?? name}`, "warning")));
      return isPlural
        ? [...findings, ...formsMissing(source, translation, own.has("count"), context)]
        : findings;
    };
  },
};

/** The names of a text's arguments in lower case, each with the last spelling that it has. */
function namesIn(message: Message): ReadonlyMap<string, string> {
  return new Map(message.arguments.map(({ name }) => [name.toLowerCase(), name]));
}

function parseLaravel(text: string): Message | SyntaxFault {
  const found = Array.from(text.matchAll(argument), ({ 0: whole, 1: name = "", index }): Argument => {
    return { name, kind: "any", range: [index, index + whole.length] };
  });
  return surplusFault(found) ?? { arguments: found };
}

/**
 * Makes a function that tells whether a text begins with one of some names; it tries as many beginnings as they have
 * lengths.
 */
function beginningFinder(names: Iterable<string>): (text: string) => boolean {
  const all = new Set(names);
  const lengths = [...new Set(Array.from(all, (name) => name.length))];
  return (text) => lengths.some((length) => all.has(text.slice(0, length)));
}

function isPositional(forms: readonly string[]): boolean {
  return !forms.some((form) => condition.test(form));
}

/** The languages that have other than two forms, by their number, as Laravel's `MessageSelector` has them. */
const otherForms: readonly (readonly [forms: number, languages: ReadonlySet<string>])[] = [
  [1, new Set("az bo dz id ja jv ka km kn ko ms th tr vi zh".split(" "))],
  [3, new Set("be bs cs ga hr lt lv pl ro ru sk sr uk".split(" "))],
  [4, new Set("cy mt sl".split(" "))],
  [6, new Set(["ar"])],
];

function formsOf(locale: string): number {
  const [language = ""] = locale.split("-", 1);
  return otherForms.find(([, languages]) => languages.has(language))?.[0] ?? 2;
}

/** Laravel chooses a form by the position that the language's rule gives; where there is none, it takes the first. */
function formsMissing(
  source: string,
  translation: string,
  hasCount: boolean,
  { locale, sourceLocale = "en" }: TextContext,
): readonly CheckFinding[] {
  const ofSource = source.split("|");
  // "Step 1 | Settings" is a title.
  if (!hasCount && ofSource.length === source.split(" | ").length) return [];
  const own = translation.split("|");
  const isExpected = isPositional(ofSource) ? ofSource.length === formsOf(sourceLocale) : own.length === 1;
  if (!isExpected) return [];
  const needed = formsOf(locale);
  if (!isPositional(own) || own.length >= needed) return [];
  const forms = own.length === 1 ? "one form, and no |" : `${own.length} forms between |`;
  const message = `has ${forms}, and the language has ${needed}`;
  return [{ check: "branches", severity: "warning", message, expected: String(needed) }];
}
