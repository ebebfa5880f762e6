/**
 * Laravel's texts: `:name`, also as `:Name` and `:NAME`, and forms between `|`, which may begin with `{0}` or `[1,*]`.
 * Laravel puts a value in wherever `:name` stands, even with letters around it, so the source text decides on names.
 */
import { extraFinding, mayOmitNumber, missingFinding } from "./arguments.ts";
import type { Argument, CheckFinding, Message, MessageSyntax, TextContext } from "./message.ts";

/** Not `12:30`, `a::b`, `:smile:` or `http://`. */
const argument = /(?<![\w:/]):([A-Za-z_]\w*)(?![\w:])/g;
const condition = /^\s*(?:\{[^{}]*\}|[[\]][^[\]]*[[\]])/;

export const laravel: MessageSyntax = {
  special: /:[A-Za-z_]|\|/,
  isStrict: false,
  parse: (text) => ({ arguments: argumentsOf(text) }),
  compareWith(source) {
    const own = namesIn(source);
    const isPlural = source.includes("|");
    return (translation, context) => {
      const known =
        context.sourceOther === undefined ? own : new Map([...own, ...namesIn(context.sourceOther)]);
      const shown = translation.toLowerCase();
      let missing = [...own.keys()].filter(
        (name) =>
          !shown.includes(`:${name}`) && !(name === "count" && (isPlural || mayOmitNumber(context.form))),
      );
      const findings: CheckFinding[] = [];
      for (const { name, range } of argumentsOf(translation)) {
        const lower = name.toLowerCase();
        // Of `:names`, where `name` is an argument, Laravel replaces the beginning.
        if ([...known.keys()].some((each) => lower.startsWith(each))) continue;
        const [instead, ...left] = missing;
        missing = left;
        findings.push(
          extraFinding({ name, kind: "any", range }, translation, instead && `:${known.get(instead) ?? ""}`),
        );
      }
      findings.push(...missing.map((name) => missingFinding(`:${known.get(name) ?? name}`, "warning")));
      return isPlural ? [...findings, ...formsMissing(source, translation, context)] : findings;
    };
  },
};

/** The names of a text's arguments in lower case, each with the last spelling that it has. */
function namesIn(text: string): ReadonlyMap<string, string> {
  return new Map(argumentsOf(text).map(({ name }) => [name.toLowerCase(), name]));
}

function argumentsOf(text: string): Message["arguments"] {
  return Array.from(text.matchAll(argument), ({ 0: whole, 1: name = "", index }): Argument => {
    return { name, kind: "any", range: [index, index + whole.length] };
  });
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
  { locale, sourceLocale = "en" }: TextContext,
): readonly CheckFinding[] {
  const forms = source.split("|");
  // "Step 1 | Settings" is a title.
  if (!namesIn(source).has("count") && forms.length - 1 === source.split(" | ").length - 1) return [];
  if (!isPositional(forms) || forms.length !== formsOf(sourceLocale)) return [];
  const own = translation.split("|");
  const needed = formsOf(locale);
  if (!isPositional(own) || own.length >= needed || own.length === 1) return [];
  const message = `has ${own.length} forms between |, and the language has ${needed}`;
  return [{ check: "branches", severity: "warning", message, expected: String(needed) }];
}
