/** Shows stored texts: never as markup, and with hidden characters made visible. */
import type { Child } from "hono/jsx";
import { foundIn } from "../../../domain/strings/folded-texts.ts";
import { unprintable } from "../../../domain/text.ts";
import { figure } from "../requests/reader.ts";
import { directionOf } from "./languages.ts";

/** Line ends and tabs, which every text may have. */
const ordinary = /[\n\t]/;
/**
 * Control characters, and characters that change the direction of the following text. Marks, isolates and joiners,
 * which right-to-left scripts need, are not among them.
 */
const deceptive = /[\p{Cc}\u202a-\u202e]/gu;

/** The code point of a character in Unicode's notation. */
function numberOf(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? ""}`;
}

/** An invisible character, shown as its code point. */
function Hidden({ character }: { readonly character: string }) {
  const number = numberOf(character);
  return (
    <span class="hidden-character" title={`The character ${number}`}>
      {number}
    </span>
  );
}

/** A text for a visible attribute such as `title`, with deceptive characters as code points. */
export function attributeText(text: string): string {
  return text.toWellFormed().replaceAll(deceptive, numberOf);
}

/** A text in which the matches of a pattern are shown as code points. */
function shown(text: string, pattern: RegExp): Child {
  const wellFormed = text.toWellFormed();
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: character, index } of wellFormed.matchAll(pattern)) {
    if (ordinary.test(character)) continue;
    parts.push(wellFormed.slice(end, index), <Hidden character={character} />);
    end = index + character.length;
  }
  return parts.length === 0 ? wellFormed : [...parts, wellFormed.slice(end)];
}

/** How many characters of a text are shown in lists. */
export const maxShown = 2_000;
/** How many are shown on the page of its string, and can be edited there. */
export const maxOnOwnPage = 100_000;

/**
 * The content of a text, for parts with their own element around it. It is cut after `limit` characters.
 * @param needle what was searched for, which is marked.
 */
export function textContent(text: string, limit = maxShown, needle?: string): Child {
  const start = toStart(text, limit);
  return (
    <>
      {needle === undefined ? shown(start, deceptive) : marked(start, needle)}
      {text.length > limit && <Cut count={text.length - limit} />}
    </>
  );
}

function marked(text: string, needle: string, hidden = deceptive): Child {
  const parts: Child[] = [];
  let last = 0;
  for (const [start, end] of foundIn(text, needle)) {
    parts.push(shown(text.slice(last, start), hidden), <mark>{shown(text.slice(start, end), hidden)}</mark>);
    last = end;
  }
  return [...parts, shown(text.slice(last), hidden)];
}

/** The unchanged text around a change; the middle of a long text is left out. */
export function contextContent(text: string): Child {
  const count = text.length - 2 * contextLength;
  if (count <= contextLength) return shown(text, deceptive);
  return (
    <>
      {shown(toStart(text, contextLength), deceptive)}
      <Cut count={count} />
      {shown(text.slice(-contextLength).replace(/^[\udc00-\udfff]/, ""), deceptive)}
    </>
  );
}

/** How many characters are shown before and after a change. */
const contextLength = 200;

/** The beginning of a text, in whole characters. */
function toStart(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function Cut({ count }: { readonly count: number }) {
  return <span class="cut"> … {figure(count)} more characters … </span>;
}

/**
 * A stored text in its own language and direction.
 * @param props.lang its BCP 47 code; undefined when it is not known.
 * @param props.limit how many characters of it are shown.
 * @param props.needle what was searched for, which is marked.
 */
export function Text({
  text,
  lang,
  limit,
  needle,
}: {
  readonly text: string;
  readonly lang?: string;
  readonly limit?: number;
  readonly needle?: string;
}) {
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {text === "" ? <span class="nothing">empty</span> : textContent(text, limit, needle)}
    </span>
  );
}

/** A text of this length counts as long in a list. */
const longLength = 360;
const maxLines = 6;

/**
 * A part of a list with texts, which shows six lines until the user opens it.
 * @param props.texts its texts.
 * @param props.all the address of the page that shows them completely.
 */
export function Clamped({
  texts,
  all,
  children,
}: {
  readonly texts: readonly (string | undefined)[];
  readonly all: string;
  readonly children: Child;
}) {
  const isLong = texts.some(
    (text = "") => text.length > longLength || text.split("\n", maxLines + 1).length > maxLines,
  );
  if (!isLong) return <>{children}</>;
  const isCut = texts.some((text = "") => text.length > maxShown);
  return (
    <div class="long">
      <div class="clamped">{children}</div>
      <a class="more" href={all} data-unclamp={isCut ? undefined : ""}>
        Show all
      </a>
    </div>
  );
}

/**
 * A name that a user gave: of a Hive, a token, a tag, a file or a key, or a line of a commit's message. Every character
 * is visible, because people distinguish things by their names.
 */
export function Name({ name, needle }: { readonly name: string; readonly needle?: string }) {
  return <bdi>{needle === undefined ? shown(name, unprintable) : marked(name, needle, unprintable)}</bdi>;
}

/** A name like {@link Name}, shown as code. */
export function Code({ name, needle }: { readonly name: string; readonly needle?: string }) {
  return (
    <code>
      <Name name={name} needle={needle} />
    </code>
  );
}
