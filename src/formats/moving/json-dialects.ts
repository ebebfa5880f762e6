/** The JSON of tools that say more about a text than its translation. */
import { cutNote } from "../../domain/notes/cut-note.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isRecord } from "../../domain/record.ts";
import type { TextState } from "../exchange/unit.ts";
import { decodeUtf8 } from "../patch/source-text.ts";
import type { MovingContext } from "./context.ts";
import type { Moved } from "./moved.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Phrase's own JSON (`strings_json`): keys with `name`, `description`, `tags`, `max_characters_allowed` and `translations`,
 * each with `locale`, `locale_code`, `content` (a text, or plural forms) and `state`.
 */
export function readPhraseJson(
  path: string,
  bytes: Uint8Array,
  context: MovingContext,
  into: Moved,
): boolean {
  const keys = path.endsWith(".json") ? phraseKeys(jsonOrUndefined(decodeUtf8(bytes))) : undefined;
  if (keys === undefined) return false;
  const placed = context.place(path, context.source);
  if ("unknown" in placed) return false;
  const { file } = placed;
  for (const key of keys) {
    const name = String(key.name);
    const about = cutNote({
      note: textOf(key.description),
      tags: textsOf(key.tags),
      max_length: typeof key.max_characters_allowed === "number" ? key.max_characters_allowed : undefined,
    });
    for (const translation of recordsOf(key.translations)) {
      const code = textOf(translation.locale_code) ?? textOf(translation.locale) ?? "";
      const locale = context.localeOf(code) ?? context.localeOf(textOf(translation.locale) ?? "");
      const state = phraseState(textOf(translation.state));
      for (const [form, text] of formsOf(name, translation.content)) {
        if (locale === undefined) into.leaveLocale("translation", code, form);
        else if (text === "") continue;
        else if (locale === context.source) into.string(file, form).source = text;
        else into.string(file, form).translations.set(locale, { text, state });
        if (locale !== undefined && text !== "" && locale === context.source) into.note(file, form, about);
      }
    }
  }
  return true;
}

/** The keys of a file, which are a list; undefined where it has none. Its page names their members, and not what is around. */
function phraseKeys(value: unknown): readonly Members[] | undefined {
  const lists = [value, ...(isRecord(value) ? Object.values(value) : [])].filter((one) => Array.isArray(one));
  for (const list of lists) {
    const keys = recordsOf(list).map((one): Members => Object.assign({}, one.key, one));
    if (keys.length > 0 && keys.length === list.length && keys.every(isPhraseKey)) return keys;
  }
  return undefined;
}

function isPhraseKey({ name, translations }: Members): boolean {
  return typeof name === "string" && Array.isArray(translations);
}

/** Plural forms are a group, as in the JSON of apps. */
function formsOf(name: string, content: unknown): readonly (readonly [key: string, text: string])[] {
  if (typeof content === "string") return [[name, content]];
  return Object.entries(isRecord(content) ? content : {}).flatMap(([form, text]) =>
    typeof text === "string" ? [[`${name}.${form}`, text] as const] : [],
  );
}

function phraseState(state: string | undefined): TextState | undefined {
  if (state === undefined) return undefined;
  if (/unverified|needs|rejected/i.test(state)) return "review";
  return /verified|reviewed|signed|approved|final/i.test(state) ? "approved" : "translated";
}

/**
 * Lokalise's structured JSON: an object with `translation`, and perhaps `notes`, `context`, `limit` and `tags`, for each key,
 * in whose names `::` stands between the levels.
 */
export function readLokaliseJson(
  path: string,
  bytes: Uint8Array,
  context: MovingContext,
  into: Moved,
): boolean {
  const value = path.endsWith(".json") ? jsonOrUndefined(decodeUtf8(bytes)) : undefined;
  const entries = Object.entries(isRecord(value) ? value : {});
  const isStructured =
    entries.length > 0 && entries.every(([, one]) => isRecord(one) && "translation" in one);
  const placed = isStructured ? context.place(path) : undefined;
  if (placed === undefined) return false;
  if ("unknown" in placed) {
    into.leaveLocale("file", placed.unknown, path);
    return true;
  }
  const { file, locale } = placed;
  for (const [name, entry] of entries) {
    const own = isRecord(entry) ? entry : {};
    const about = cutNote({
      note: [textOf(own.notes), textOf(own.context)].filter((text) => text !== undefined).join("\n"),
      tags: textsOf(own.tags),
      // Programs that write this for Lokalise have it as a text.
      max_length: own.limit === undefined ? undefined : Number(own.limit),
    });
    for (const [key, text] of formsOf(name.replaceAll("::", "."), own.translation)) {
      if (locale === context.source) into.string(file, key).source = text;
      else if (text !== "") into.string(file, key).translations.set(locale, { text, state: undefined });
      if (locale === context.source) into.note(file, key, about);
    }
  }
  return true;
}

function recordsOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
