/** Texts that people and programs have stored: never markup, and never able to look like something else. */
import type { Child } from "hono/jsx";
import { unprintable } from "../../../domain/text.ts";
import { directionOf } from "./languages.ts";

/** Line ends and tabs, which every text may have. */
const ordinary = /[\n\t]/;
/**
 * Control characters, and those that turn the direction of what follows. What scripts from right to left need beside
 * them stays: marks, isolates and joiners.
 */
const deceptive = /[\p{Cc}\u202a-\u202e]/gu;

/** An invisible character, as its number. */
function Hidden({ character }: { readonly character: string }) {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? "";
  return (
    <span class="hidden-character" title={`The character U+${code}`}>
      U+{code}
    </span>
  );
}

/** A text in which the characters that a pattern finds are shown by their numbers. */
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

/** How many characters of a text are shown where it is one of many. */
export const maxShown = 2_000;
/** How many are shown on the page of its string, and can be edited there. */
export const maxOnOwnPage = 100_000;

/** What is inside a text, for parts that put elements of their own around it. It is cut after so many characters. */
export function textContent(text: string, limit = maxShown): Child {
  if (text.length <= limit) return shown(text, deceptive);
  return (
    <>
      {shown(toStart(text, limit), deceptive)}
      <Cut count={text.length - limit} />
    </>
  );
}

/** What stays the same around a change: its middle is left out where it is long. */
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

/** How much of a long text is shown before and behind a change. */
const contextLength = 200;

/** The beginning of a text, in whole characters. */
function toStart(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function Cut({ count }: { readonly count: number }) {
  return <span class="cut"> … {count.toLocaleString("en")} more characters … </span>;
}

/**
 * A stored text in its own language and direction.
 * @param props.lang its BCP 47 code; undefined when it is not known.
 * @param props.limit how many characters of it are shown.
 */
export function Text({
  text,
  lang,
  limit,
}: {
  readonly text: string;
  readonly lang?: string;
  readonly limit?: number;
}) {
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {text === "" ? <span class="nothing">empty</span> : textContent(text, limit)}
    </span>
  );
}

/** From this length on, or with so many lines, a text takes more than a few lines of a list. */
const longLength = 360;
const maxLines = 6;

/**
 * A part of a list about a text, of which no more than six lines are seen until somebody asks for all.
 * @param props.texts what is in it.
 * @param props.all the address of the page that has all of it.
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
 * A name that a user gave: of a Hive, a token, a tag, a file or a key, or a line of a commit's message. No character
 * in it may be invisible, because names are what people tell things apart by.
 */
export function Name({ name }: { readonly name: string }) {
  return <bdi>{shown(name, unprintable)}</bdi>;
}

/** The same as code is shown. */
export function Code({ name }: { readonly name: string }) {
  return (
    <code>
      <Name name={name} />
    </code>
  );
}
