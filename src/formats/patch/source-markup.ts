/** What a translation may have as markup: only what its source text has, since an app may refuse a file with anything else. */
import { SaxesParser } from "saxes";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import { asDocument, hasMarkup } from "./xml-markup.ts";

export interface MarkupRules {
  /** Whether a text is written as the markup that it is, and read as it was. */
  readonly isMarkup: (text: string) => boolean;
  /** Whether ids, attributes and contents are the source's, too, as files that follow a schema need it. */
  readonly isStrict?: boolean;
  /** Elements that any text may have, as readers of the file take them out: `<xliff:g>`. */
  readonly always?: readonly string[];
}

/**
 * Why the markup of a translation cannot be written; undefined when it can, and when its source text is not known.
 * @param key of the translation. A plural form that the source lacks has the markup of the source's forms.
 */
export function markupProblem(
  text: string,
  key: string,
  sourceTexts: Texts | undefined,
  { isMarkup, isStrict = false, always = [] }: MarkupRules,
): string | undefined {
  if (sourceTexts === undefined || !text.includes("<")) return undefined;
  const inSources = sourcesOf(key, sourceTexts).flatMap((source) => markupIn(source, isStrict));
  const allowed = new Set([...inSources, ...always]);
  if (isMarkup(text)) {
    const other = markupIn(text, isStrict).find((one) => !allowed.has(one));
    if (other === undefined) return undefined;
    return `has ${excerpt(other)} as markup, which its source text does not have; in a text, < is written &lt;`;
  }
  const tag = Array.from(text.matchAll(/<\/?([^\s/<>]+)/g), ([, name = ""]) => `<${name}>`).find((one) =>
    allowed.has(one),
  );
  if (tag === undefined) return undefined;
  return `would show ${excerpt(tag)} as text, because its markup is not well-formed or has other spellings than XML's own: beside markup, < is written &lt; and characters as themselves`;
}

/** Why a text cannot be written that would be read as another one. @param after what it is read as, where it is read. */
export function readAs(text: string, after: string | undefined): string | undefined {
  if (after === text) return undefined;
  return after === undefined ? "would not be read as one" : `would be read as "${excerpt(after)}"`;
}

/** The source text of a key, or those of the other plural forms. */
function sourcesOf(key: string, sourceTexts: Texts): readonly string[] {
  const own = sourceTexts.get(key);
  if (own !== undefined) return [own];
  const [stem] = /^[^]*[._]/.exec(key) ?? [];
  return stem === undefined ? [] : pluralCategories.flatMap((form) => sourceTexts.get(stem + form) ?? []);
}

/** The kinds of markup in a text, as messages name them. */
function markupIn(text: string, isStrict: boolean): readonly string[] {
  if (!hasMarkup(text)) return [];
  const found: string[] = [];
  const open: string[] = [];
  const noteContent = (): void => {
    const outer = open.at(-1) ?? "";
    if (isStrict && outer !== "") found.push(`a content of <${outer}>`);
  };
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    // The element around the text is none of its own.
    const isAround = open.length === 0;
    noteContent();
    open.push(isAround ? "" : name);
    if (isAround) return;
    found.push(`<${name}>`);
    if (!isStrict) return;
    if (attributes.id === undefined) found.push(`<${name}> without an id`);
    for (const [attribute, value] of Object.entries(attributes))
      found.push(attribute === "id" ? `<${name} id="${value}">` : `the attribute ${attribute} of <${name}>`);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", (part) => {
    if (part !== "") noteContent();
  });
  // A section of characters is text, which every reader of XML takes.
  parser.on("cdata", noteContent);
  parser.on("comment", () => void found.push("<!-- -->"));
  parser.on("processinginstruction", ({ target }) => void found.push(`<?${target} ?>`));
  parser.write(asDocument(text)).close();
  return found;
}
