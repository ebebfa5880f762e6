/** Which files of a tree `skep init` takes for those of the source locale. */
import { canonicalCode, isLanguageCode } from "./language-code.ts";

/** Stands for the code of files of the source locale that have none, as in Android's folder `values`. */
export const noCode = "";
/** The folder of Apple's files for whatever language has none of its own. */
export const baseCode = "Base";

/** A file that may have translations. */
export interface Candidate {
  readonly file: string;
  readonly code: string;
  /** Files with the same one belong together. */
  readonly path: string;
  /** The path of the source file if its path has no code. */
  readonly source?: string;
}

/** A source file of a pattern: one without a code, or of the source locale. */
function sourceIn(candidates: readonly Candidate[], chosen: string): Candidate | undefined {
  const [bare, own] = [[noCode], [chosen, baseCode]].map((codes) =>
    candidates.find(({ code }) => codes.includes(code)),
  );
  return bare ?? own;
}

/**
 * Finds the source file of a pattern: also one that names the source locale otherwise, such as `en_US` for `en`, if it is
 * the only one of the language or of its main region, and no other pattern has it beside the source locale.
 * @param groups the candidates of each pattern.
 */
export function sourceFinder(
  groups: readonly (readonly [path: string, candidates: readonly Candidate[]])[],
  chosen: string,
): (candidates: readonly Candidate[]) => Candidate | undefined {
  const complete = groups.filter(([, candidates]) => sourceIn(candidates, chosen) !== undefined);
  const translated = new Set(complete.flatMap(([, own]) => own.map(({ code }) => canonicalCode(code))));
  const language = languageOf(chosen);
  const { region } = isLanguageCode(language) ? new Intl.Locale(language).maximize() : { region: undefined };
  return (candidates) => {
    const own = candidates.filter(
      ({ code, source }) => source === undefined && languageOf(code) === language,
    );
    const isOnly = new Set(own.map(({ code }) => code)).size === 1;
    const dialect = own.find(
      ({ code }) =>
        (isOnly || (region !== undefined && code.toUpperCase().endsWith(region))) &&
        !translated.has(canonicalCode(code)),
    );
    return sourceIn(candidates, chosen) ?? dialect;
  };
}

/** The language of a code. */
export function languageOf(code: string): string {
  return code.split(/[-_@]/)[0] ?? code;
}

/** Why a pattern is left out. */
export function missingSource(path: string, chosen: string): string {
  const own = path.replaceAll("{locale}", chosen).replaceAll("*", "NAME");
  if (path.endsWith(".ts"))
    return `it has no file in ${chosen}; lupdate makes it: lupdate SOURCES -ts ${own}`;
  // Drupal's source files are settings, which do not say what of them is text.
  if (/(?:^|\/)config\/(?:.*\/)?language\/\{locale\}\/.*\.yml$/.test(path))
    return `it has no file in ${chosen}; if these are settings that Drupal translated, export its texts as .po (drush locale:export)`;
  if (!path.endsWith(".po")) return `it has no file in ${chosen}`;
  const folder = path.slice(0, path.indexOf("{locale}"));
  return (
    `it has neither a template (${folder}*.pot, which xgettext makes) nor a file in ${chosen}, ` +
    `which msginit makes of the template: msginit --no-translator --locale=${chosen} --output=${own}; ` +
    "if the msgids are in another language, name it with --source-locale"
  );
}
