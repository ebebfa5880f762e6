/** The source texts of a string, with their arguments and terms marked. */
import type { Child } from "hono/jsx";
import { termsBetween } from "../../../domain/glossary/text-parts.ts";
import { isPlural } from "../../../domain/strings/string-file.ts";
import type { StringInAllLocales } from "../../../service/content/string-search.ts";
import { maxOnOwnPage } from "../parts/text.tsx";
import { SourceText } from "./terms.tsx";

/** The source texts: of a plural string one for each form; a text that holds all forms is split into them. */
export function Sources({
  strings,
  shown,
  isWhole,
}: {
  readonly strings: readonly StringInAllLocales[];
  readonly shown: string;
  readonly isWhole: boolean;
}) {
  const textOf = (string: StringInAllLocales, start = 0, end = string.source.length): Child => {
    const { source, syntax, terms, settings } = string;
    return (
      <p class="source lead">
        <SourceText
          string={{ source: source.slice(start, end), syntax, terms: termsBetween(terms, [start, end]) }}
          lang={settings.sourceLocale.code}
          limit={isWhole ? maxOnOwnPage : undefined}
        />
      </p>
    );
  };
  const [only] = strings;
  if (only !== undefined && only.forms.length === 0) {
    let start = 0;
    return (isPlural(only.source) ? only.source.split("|") : [only.source]).map((text) => {
      const end = start + text.length;
      const shownText = textOf(only, start, end);
      start = end + 1;
      return shownText;
    });
  }
  return (
    <dl class="forms panel">
      {strings
        .filter(({ key, forms }) => forms.some((form) => form.key === key && form.isOfSource))
        .map((string) => (
          <>
            <dt>
              <FormName string={string} shown={shown} />
            </dt>
            <dd>{textOf(string)}</dd>
          </>
        ))}
    </dl>
  );
}

/** The plural category of a string. */
export function FormName({ string, shown }: { readonly string: StringInAllLocales; readonly shown: string }) {
  const form = string.forms.find(({ key }) => key === string.key);
  if (form === undefined) return null;
  return string.key === shown ? <strong>{form.category}</strong> : <>{form.category}</>;
}
