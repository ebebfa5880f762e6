/** The difference of two texts, word by word. */
import type { Child } from "hono/jsx";
import { diffWords } from "../../../domain/strings/word-diff.ts";
import { directionOf } from "./languages.ts";
import { contextContent, Text, textContent } from "./text.tsx";

/**
 * A changed text: removed words are struck out, added words are underlined.
 * @param props.before the old text; undefined if there was none.
 * @param props.after the new text; undefined if there is none.
 * @param props.lang the texts' language as BCP 47.
 */
export function WordDiff({
  before,
  after,
  lang,
}: {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly lang?: string;
}) {
  if (before === undefined && after === undefined) return null;
  if (before === undefined)
    return (
      <ins class="whole">
        <Text text={after ?? ""} lang={lang} />
      </ins>
    );
  if (after === undefined)
    return (
      <del class="whole">
        <Text text={before} lang={lang} />
      </del>
    );
  if (before === "" || after === "") {
    return (
      <>
        <del class="whole">
          <Text text={before} lang={lang} />
        </del>{" "}
        <ins class="whole">
          <Text text={after} lang={lang} />
        </ins>
      </>
    );
  }
  const runs = diffWords(before, after).map(({ kind, text }): Child => {
    if (kind === "same") return contextContent(text);
    return kind === "gone" ? <del>{textContent(text)}</del> : <ins>{textContent(text)}</ins>;
  });
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {runs}
    </span>
  );
}
