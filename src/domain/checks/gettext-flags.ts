/** The flags of gettext's messages, such as `#, python-brace-format`, which say what one message is written in. */
import type { SyntaxName } from "./syntax-names.ts";

const languages = {
  brace: ["python-brace", "perl-brace", "csharp", "rust", "c++"],
  java: ["java"],
  qt: ["qt", "qt-plural", "kde"],
  rails: ["ruby"],
  printf: ["c", "objc", "python", "php", "java-printf", "perl", "javascript", "go", "lua", "object-pascal"],
} as const;

const syntaxByFlag: ReadonlyMap<string, SyntaxName> = new Map(
  (["brace", "java", "qt", "rails", "printf"] as const).flatMap((syntax) =>
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
