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

/** What is inside a text, for parts that put elements of their own around it. */
export function textContent(text: string): Child {
  return shown(text, deceptive);
}

/**
 * A stored text in its own language and direction.
 * @param props.lang its BCP 47 code; undefined when it is not known.
 */
export function Text({ text, lang }: { readonly text: string; readonly lang?: string }) {
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {text === "" ? <span class="nothing">empty</span> : textContent(text)}
    </span>
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
