/** What is imported: real names of languages, scripts and territories, and made texts of their kind where more is needed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cldr = join(dirname(fileURLToPath(import.meta.resolve("cldr-localenames-full/package.json"))), "main");

const names = ["languages", "territories", "scripts"] as const;

/** The locales that CLDR has names in, with real differences between them. */
export function cldrLocales(limit: number): readonly string[] {
  return readdirSync(cldr)
    .filter(
      (code) =>
        code !== "en" &&
        /^[a-z]{2,3}$/.test(code) &&
        names.every((name) => existsSync(join(cldr, code, `${name}.json`))),
    )
    .slice(0, limit);
}

/** CLDR's files of one locale, as source or translation: about 900 nested texts. */
export function cldrFiles(code: string): Record<string, unknown> {
  const files: Record<string, unknown> = {};
  for (const name of names) {
    const { main } = JSON.parse(readFileSync(join(cldr, code, `${name}.json`), "utf8"));
    files[`${name}.json`] = main[code].localeDisplayNames;
  }
  return files;
}

const words = readWords();

function readWords(): readonly string[] {
  const { main } = JSON.parse(readFileSync(join(cldr, "en", "territories.json"), "utf8"));
  return Object.values<string>(main.en.localeDisplayNames.territories);
}

/** A text of the length that interface texts have, the same for the same numbers. */
function textOf(n: number, locale: number): string {
  const at = (n * 7 + locale * 13) % words.length;
  return `${words[at]} ${words[(at * 3 + n) % words.length]}, ${words[(n + locale) % words.length]} ${n}`;
}

/** A flat file of numbered keys. `locale` 0 is the source. */
export function flatFile(strings: number, locale = 0, first = 0): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: strings }, (_, i) => [
      `section_${(first + i) % 97}.message_${first + i}`,
      textOf(first + i, locale),
    ]),
  );
}

/** A nested file, as PHP apps have them: groups of twenty. `locale` 0 is the source. */
export function nestedFile(strings: number, locale = 0): Record<string, Record<string, string>> {
  const groups: Record<string, Record<string, string>> = {};
  for (let i = 0; i < strings; i++) {
    const group = (groups[`group_${Math.floor(i / 20)}`] ??= {});
    group[`message_${i}`] = textOf(i, locale);
  }
  return groups;
}
