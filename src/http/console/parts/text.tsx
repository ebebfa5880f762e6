/**
 * Shows stored texts and their differences: never as markup, and with hidden characters made visible. And short facts,
 * times, and lines to copy into a terminal.
 */
import type { Child } from "hono/jsx";
import { argumentShape } from "../../../domain/argument-shapes.ts";
import { foundIn } from "../../../domain/strings/folded-texts.ts";
import { unprintable, toTimestamp } from "../../../domain/text.ts";
import { directionOf } from "./languages.ts";
import { t, formatDay, formatTime } from "../texts/texts.ts";
import { diffWords } from "../../../domain/strings/word-diff.ts";

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
function Hidden({ character }: { character: string }) {
  const number = numberOf(character);
  return (
    <span class="hidden-character" title={t("text.the_character", { number })}>
      {number}
    </span>
  );
}

/** A text for a visible attribute such as `title`, with deceptive characters as code points. */
export function attributeText(text: string): string {
  return text.toWellFormed().replaceAll(deceptive, numberOf);
}

const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Rohg}]/u;
/** Tags, entities and arguments. */
const leftToRight = new RegExp(
  String.raw`(<[!/?]?[a-zA-Z-][^<>]*>|&#?\w{1,32};|${argumentShape.source})`,
  argumentShape.flags,
);

interface Showing {
  /** The characters that are shown as code points. */
  readonly hidden?: RegExp;
  /** What was searched for, which is marked. */
  readonly needle?: string;
  /** Whether it stands in a text that is written from right to left, as a part of it may have no letters. */
  readonly isRightToLeft?: boolean;
}

/**
 * A text whose hidden characters are shown as code points. Arguments and markup beside letters that are written from right
 * to left are isolated: otherwise their brackets, signs and quotes appear on the wrong side.
 */
function shown(
  text: string,
  { hidden = deceptive, needle, isRightToLeft = rightToLeft.test(text) }: Showing = {},
): Child {
  const found = needle === undefined ? [] : foundIn(text, needle);
  if (!isRightToLeft) return between(text, [0, text.length], { hidden, found });
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: isolated, index } of text.matchAll(leftToRight)) {
    parts.push(between(text, [end, index], { hidden, found }));
    end = index + isolated.length;
    parts.push(<bdi dir="ltr">{between(text, [index, end], { hidden, found })}</bdi>);
  }
  return [...parts, between(text, [end, text.length], { hidden, found })];
}

type Range = readonly [start: number, end: number];

/** A part of a text, with what of it was found marked. */
function between(
  text: string,
  [start, end]: Range,
  { hidden, found }: { hidden: RegExp; found: readonly Range[] },
): Child {
  const marks = found
    .filter(([from, to]) => from < end && to > start)
    .map(([from, to]): Range => [Math.max(start, from), Math.min(end, to)]);
  if (marks.length === 0) return visible(text.slice(start, end), hidden);
  const parts: Child[] = [];
  let last = start;
  for (const [from, to] of marks) {
    parts.push(visible(text.slice(last, from), hidden), <mark>{visible(text.slice(from, to), hidden)}</mark>);
    last = to;
  }
  return [...parts, visible(text.slice(last, end), hidden)];
}

function visible(text: string, pattern: RegExp): Child {
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
 * @param showing what was searched for, and the direction of the text that it is a part of.
 */
export function textContent(text: string, limit = maxShown, showing: Omit<Showing, "hidden"> = {}): Child {
  return (
    <>
      {shown(toStart(text, limit), showing)}
      {text.length > limit && <Cut count={text.length - limit} />}
    </>
  );
}

/** The unchanged text around a change; the middle of a long text is left out. */
function contextContent(text: string, showing: Showing): Child {
  const count = text.length - 2 * contextLength;
  if (count <= contextLength) return shown(text, showing);
  return (
    <>
      {shown(toStart(text, contextLength), showing)}
      <Cut count={count} />
      {shown(text.slice(-contextLength).replace(/^[\udc00-\udfff]/, ""), showing)}
    </>
  );
}

/** Whether a text is written from right to left, at least in part. */
export function readsRightToLeft(text: string, lang: string | undefined): boolean {
  return directionOf(lang) === "rtl" || rightToLeft.test(text);
}

const contextLength = 200;

/** The beginning of a text, in whole characters. */
function toStart(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function Cut({ count }: { count: number }) {
  return <span class="cut"> {t("text.more_characters", { count })} </span>;
}

/**
 * A stored text in its own language and direction.
 * @param props.lang its BCP 47 code; undefined when it is not known.
 * @param props.limit how many characters of it are shown.
 * @param props.needle what was searched for, which is marked.
 */
export function Text(props: { text: string; lang?: string; limit?: number; needle?: string }) {
  const { text, lang, limit, needle } = props;
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {text === "" ? (
        <span class="nothing">{t("text.empty")}</span>
      ) : (
        textContent(text, limit, { needle, isRightToLeft: readsRightToLeft(text, lang) })
      )}
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
export function Clamped(props: { texts: readonly (string | undefined)[]; all: string; children: Child }) {
  const { texts, all, children } = props;
  const isLong = texts.some(
    (text = "") => text.length > longLength || text.split("\n", maxLines + 1).length > maxLines,
  );
  if (!isLong) return <>{children}</>;
  const isCut = texts.some((text = "") => text.length > maxShown);
  return (
    <div class="long">
      <div class="clamped">{children}</div>
      <a class="more" href={all} data-unclamp={isCut ? undefined : ""}>
        {t("common.show_all")}
      </a>
    </div>
  );
}

interface NameProps {
  readonly name: string;
  readonly needle?: string;
  /** For a sentence of the pages, which may begin with a word in another direction; the first letter decides if not given. */
  readonly dir?: "ltr";
  /** Where it leads, if it is a link. */
  readonly href?: string;
  readonly class?: string;
}

/**
 * A name that a user gave: of a Hive, a token, a tag, a file or a key, or a line of a commit's message. Every character
 * is visible, because people distinguish things by their names.
 */
export function Name({ name, needle, dir, ...link }: NameProps) {
  const text = shown(name, { hidden: unprintable, needle });
  // Only keys can be empty.
  if (name === "") return linked(<span class="nothing">{t("string.empty_key")}</span>, link);
  return linked(<bdi dir={dir}>{text}</bdi>, link);
}

/** A name, as {@link Name} shows it, in a font for code. */
export function Code({ name, needle, ...link }: NameProps) {
  const text = (
    <code>
      <Name name={name} needle={needle} />
    </code>
  );
  return linked(text, link);
}

/** Shorter keys are not cut. */
const longKey = 24;
/** What stays in sight of the end of a key: whole characters, with their marks. */
const keyEnd = /(?:\P{M}\p{M}*){1,12}$/su;

/**
 * The key of a string, in a list or a row. Where there is no room for a long one, its middle is left out, since the keys of
 * one screen begin alike and those of one kind end alike; its title and the name of its link have all of it.
 */
export function Key({ name, needle, href }: Pick<NameProps, "name" | "needle" | "href">) {
  const title = attributeText(name);
  const at = name.length > longKey ? name.search(keyEnd) : 0;
  if (at <= 0) return linked(<Code name={name} needle={needle} />, { class: "key", href, title });
  const showing = { hidden: unprintable, found: needle === undefined ? [] : foundIn(name, needle) };
  const cut = (
    <code class="cut-key" title={href === undefined ? title : undefined}>
      <bdi>
        <span>{between(name, [0, at], showing)}</span>
        <span>{between(name, [at, name.length], showing)}</span>
      </bdi>
    </code>
  );
  // The two parts would be read as two words.
  return linked(cut, { class: "key", href, title, label: title });
}

interface LinkProps extends Pick<NameProps, "href" | "class"> {
  readonly title?: string;
  readonly label?: string;
}

function linked(text: Child, { href, class: className, title, label }: LinkProps) {
  if (href === undefined) return text;
  return (
    <a class={className} href={href} title={title} aria-label={label}>
      {text}
    </a>
  );
}

/**
 * A changed text: removed words are struck out, added words are underlined.
 * @param props.before the old text; undefined if there was none.
 * @param props.after the new text; undefined if there is none.
 * @param props.lang the texts' language as BCP 47.
 */
export function WordDiff(props: { before: string | undefined; after: string | undefined; lang?: string }) {
  const { before, after, lang } = props;
  if (!before || !after) {
    return (
      <>
        {before !== undefined && (
          <del class="whole">
            <Text text={before} lang={lang} />
          </del>
        )}
        {before !== undefined && after !== undefined && " "}
        {after !== undefined && (
          <ins class="whole">
            <Text text={after} lang={lang} />
          </ins>
        )}
      </>
    );
  }
  const showing = { isRightToLeft: readsRightToLeft(before + after, lang) };
  const runs = diffWords(before, after).map(({ kind, text }): Child => {
    if (kind === "same") return contextContent(text, showing);
    const changed = textContent(text, maxShown, showing);
    return kind === "gone" ? <del>{changed}</del> : <ins>{changed}</ins>;
  });
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {runs}
    </span>
  );
}

/** @param props.items the facts; undefined, null and false are left out. */
export function Facts({ items }: { items: readonly Child[] }) {
  const present = items.filter((item) => item !== undefined && item !== null && item !== false);
  return (
    <ul class="facts">
      {present.map((item) => (
        <li>{item}</li>
      ))}
    </ul>
  );
}

/** A time in UTC, which the script replaces by a relative time. @param props.seconds since 1970. */
export function Time({ seconds }: { seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return (
    <time datetime={timestamp} data-ago>
      {formatTime(new Date(timestamp))}
    </time>
  );
}

/** A time in ISO 8601; a dash for none. */
export function TimeOf({ at }: { at: string | undefined }) {
  return at === undefined ? <>–</> : <Time seconds={Date.parse(at) / 1000} />;
}

/** The day of a time in UTC, for times such as an expiry. */
export function Day({ seconds }: { seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return <time datetime={timestamp}>{formatDay(new Date(timestamp))}</time>;
}

/** A command; the script puts a button beside it that copies it. */
export function Command({ label, lines }: { label: string; lines: readonly string[] }) {
  return (
    <figure class="command">
      <figcaption>{label}</figcaption>
      <pre data-copy>
        <code>{lines.join("\n")}</code>
      </pre>
    </figure>
  );
}
