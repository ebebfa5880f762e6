/**
 * Weblate's backup of a project: `components/<slug>.json` beside the files of the component's repository
 * (`vcs/<slug>/…`), `screenshots/` and `weblate-memory.json`, after its published schemas of backups, components and memory.
 */
import { emptyRecord, isObject, isRecord } from "../../domain/record.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { cutNote } from "../../domain/notes/cut-note.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { contextSeparator } from "../../domain/text.ts";
import type { ExchangeTranslation } from "../exchange/exchange-term.ts";
import type { TextState } from "../exchange/unit.ts";
import { FormatError } from "../format.ts";
import { decodeUtf8 } from "../patch/source-text.ts";
import type { MovingContext, Placed } from "./context.ts";
import type { Moved, MovedString } from "./moved.ts";
import { guarded, readTexts, type TextFile } from "./read-files.ts";
import type { ExportFiles } from "./zip.ts";

export const weblateBackup = "weblate-backup.json";
const memoryFile = "weblate-memory.json";
const componentFile = /^components\/(?:.*\/)?([^/]+)\.json$/;

/** Between the plural forms of one text. */
const formSeparator = "\u001E\u001E";

/** Whether a path of a ZIP file is needed: the history of a repository is not. */
export function isPartOfBackup(path: string): boolean {
  return !/(?:^|\/)\.(?:git|hg|svn)\//.test(path);
}

interface Translation {
  readonly id: number;
  readonly code: string;
  readonly filename: string;
}

interface Unit {
  readonly translation: number;
  readonly hash: string;
  readonly context: string;
  readonly source: string;
  readonly target: string;
  readonly state: number;
  readonly about: AppNote | undefined;
  readonly suggestions: number;
  readonly isForbidden: boolean;
}

interface Component {
  readonly slug: string;
  readonly source: string;
  readonly template: string;
  readonly base: string;
  readonly repository: string;
  readonly isGlossary: boolean;
  readonly translations: readonly Translation[];
  readonly units: readonly Unit[];
  readonly screenshots: readonly {
    readonly name: string;
    readonly image: string;
    readonly units: readonly string[];
  }[];
}

/** Reads a backup. */
export async function readWeblateBackup(
  files: ExportFiles,
  context: MovingContext,
  into: Moved,
): Promise<void> {
  const used = new Set<string>();
  for (const [path, bytes] of files) {
    const [, slug] = componentFile.exec(path) ?? [];
    if (slug === undefined) continue;
    await guarded(path, into, async () => {
      const component = toComponent(slug, jsonOrUndefined(decodeUtf8(bytes)));
      if (context.localeOf(component.source) !== context.source)
        into.leave("component", `its source language is ${component.source}, not ${context.source}`, slug);
      else if (component.isGlossary) readGlossary(component, context, into);
      else await readComponent(component, { files, used }, context, into);
    });
  }
  const memory = files.get(memoryFile);
  if (memory !== undefined) await guarded(memoryFile, into, () => readMemory(memory, context, into));
}

async function readComponent(
  component: Component,
  { files, used }: { readonly files: ExportFiles; readonly used: Set<string> },
  context: MovingContext,
  into: Moved,
): Promise<void> {
  const { slug, template, base, translations, source } = component;
  const root = vcsFolder(component);
  const texts: TextFile[] = [];
  const places = new Map<number, Placed>();
  const sourceName = template || base || `${slug}.po`;
  const take = (filename: string, code: string, file?: string): Placed | undefined => {
    const found = context.place(filename, code);
    const placed = "unknown" in found || file === undefined ? found : { ...found, file };
    const bytes = files.get(`${root}/${filename}`);
    if (bytes !== undefined) texts.push({ path: `${root}/${filename}`, bytes, placed, states: undefined });
    return "unknown" in placed ? undefined : placed;
  };
  const isBase = (filename: string): boolean => filename === template || filename === base;
  const named = context.place(sourceName, source);
  // Components of several repositories may have files of one name.
  const file = "unknown" in named || !used.has(named.file) ? undefined : `${slug}/${named.file}`;
  const own = take(sourceName, source, file);
  if (own !== undefined) used.add(own.file);
  for (const { id, code, filename } of translations) {
    const isOwn = context.localeOf(code) === context.source;
    // The file is that of the template, whatever the names of its translations are.
    const isSame = isOwn || filename === "" || isBase(filename);
    const placed = isSame ? own : take(filename, code, own?.file);
    if (placed === undefined) into.leaveLocale("file", code, `${slug}: ${filename}`);
    else {
      const locale = isOwn ? context.source : (context.localeOf(code) ?? placed.locale);
      places.set(id, { ...placed, locale });
    }
  }
  await readTexts(texts, context, into);
  readUnits(component, places, context, into);
  readScreenshots(component, places, files, into);
}

/** The folder of the component's repository: another component may have it. */
function vcsFolder({ slug, repository }: Component): string {
  const [, other] = /^weblate:\/\/.*?([^/]+)$/.exec(repository) ?? [];
  return `vcs/${other ?? slug}`;
}

/** Takes from units what files do not say: states, drafts, and what people said about strings. */
function readUnits(
  component: Component,
  places: ReadonlyMap<number, Placed>,
  { source }: MovingContext,
  into: Moved,
): void {
  const keys = new KeyFinder(into);
  for (const unit of component.units) {
    const placed = places.get(unit.translation);
    if (placed === undefined) continue;
    const { file, locale } = placed;
    if (unit.suggestions > 0)
      into.leave("suggestion", "Skep keeps texts, and none beside them", undefined, unit.suggestions);
    const isPlural = unit.source.includes(formSeparator) || unit.target.includes(formSeparator);
    const key = keys.find(file, unit, isPlural);
    if (key === undefined) {
      into.leave("text", "it has plural forms that no file of the backup has", `${file}: ${unit.source}`);
      continue;
    }
    into.note(file, key, unit.about);
    if (isPlural) {
      if (unit.state === 10 && locale !== source)
        into.leave("translation", "it needs editing and has plural forms", `${file}: ${key}`);
      continue;
    }
    const string = into.string(file, key);
    if (locale === source) string.source ??= unit.target || unit.source;
    else {
      string.source ??= unit.source;
      setTarget(string, locale, unit);
    }
  }
}

/** The database is newer than the files. */
function setTarget(string: MovedString, locale: string, { target, state }: Unit): void {
  if (target === "") string.translations.delete(locale);
  else string.translations.set(locale, { text: target, state: stateOf(state) });
}

/** Weblate's numbers of states: 10 to 12 are for texts that somebody has to look at, 100 is for texts that nobody may edit. */
function stateOf(state: number): TextState {
  if (state < 20) return "review";
  return state < 30 ? "translated" : "approved";
}

/** Finds the key of a unit: by its context, as gettext makes it, or by its source text. */
class KeyFinder {
  readonly #moved: Moved;
  readonly #bySource = new Map<string, Map<string, string | undefined>>();

  constructor(moved: Moved) {
    this.#moved = moved;
  }

  find(file: string, { context, source }: Unit, isPlural: boolean): string | undefined {
    const strings = this.#moved.files.get(file);
    const [first = ""] = source.split(formSeparator);
    const guesses = [context, context === "" ? first : context + contextSeparator + first, first];
    const found = guesses.find((key) => key !== "" && strings?.has(key) === true);
    if (found !== undefined) return found;
    if (isPlural) {
      const forms = guesses.flatMap((key) => [`${key}.other`, `${key}_other`]);
      return forms.find((key) => strings?.has(key) === true);
    }
    const same = this.#sourcesOf(file).get(first);
    return same ?? (context || first || undefined);
  }

  #sourcesOf(file: string): ReadonlyMap<string, string | undefined> {
    const known = this.#bySource.get(file);
    if (known !== undefined) return known;
    const keys = new Map<string, string | undefined>();
    for (const [key, { source }] of this.#moved.files.get(file) ?? [])
      if (source !== undefined) keys.set(source, keys.has(source) ? undefined : key);
    this.#bySource.set(file, keys);
    return keys;
  }
}

function readScreenshots(
  { screenshots, units, slug }: Component,
  places: ReadonlyMap<number, Placed>,
  files: ExportFiles,
  into: Moved,
): void {
  if (screenshots.length === 0) return;
  const keys = new KeyFinder(into);
  const byHash = new Map(units.map((unit) => [unit.hash, unit]));
  for (const { name, image, units: hashes } of screenshots) {
    const content = files.get(`screenshots/${image}`);
    const strings = hashes.flatMap((hash) => {
      const unit = byHash.get(hash);
      const file = unit && places.get(unit.translation)?.file;
      if (unit === undefined || file === undefined) return [];
      const key = keys.find(file, unit, unit.source.includes(formSeparator));
      return key === undefined ? [] : [`${file}:${key}`];
    });
    if (content === undefined) into.leave("picture", "its image is not in the export", `${slug}: ${name}`);
    else if (strings.length === 0)
      into.leave("picture", "the export does not say which strings it shows", `${slug}: ${name}`);
    else into.pictures.push({ name: image, content, strings });
  }
}

function readGlossary({ translations, units, slug }: Component, context: MovingContext, into: Moved): void {
  const codes = new Map(translations.map(({ id, code }) => [id, context.localeOf(code)]));
  const terms = new Map<
    string,
    { meaning: string | undefined; keep: boolean; texts: Record<string, ExchangeTranslation> }
  >();
  for (const { translation, source, target, about, isForbidden } of units) {
    const locale = codes.get(translation);
    const term = terms.get(source) ?? {
      meaning: undefined,
      keep: false,
      texts: emptyRecord<ExchangeTranslation>(),
    };
    terms.set(source, term);
    term.meaning ??= about?.note;
    term.keep ||= about?.keep === true;
    if (locale === undefined) into.leave("translation of a term", "the Hive has no such locale", slug);
    else if (locale !== context.source && target !== "")
      term.texts[locale] = isForbidden ? { forbidden: [target] } : { text: target };
  }
  for (const [source, { meaning, keep, texts }] of terms)
    into.terms.push({
      source,
      ...(meaning && { meaning }),
      ...(keep && { keep }),
      translations: keep ? {} : texts,
    });
}

function readMemory(bytes: Uint8Array, context: MovingContext, into: Moved): void {
  const units = jsonOrUndefined(decodeUtf8(bytes));
  for (const unit of Array.isArray(units) ? units.filter(isRecord) : []) {
    const locale = context.localeOf(textIn(unit, "target_language"));
    const isOwn = context.localeOf(textIn(unit, "source_language")) === context.source;
    if (locale === undefined || !isOwn)
      into.leave("unit of the memory", "it is of languages that the Hive does not have");
    else into.memory.push({ source: textIn(unit, "source"), locale, text: textIn(unit, "target") });
  }
}

function toComponent(slug: string, value: unknown): Component {
  const { component, translations, units, screenshots = [] } = isRecord(value) ? value : {};
  if (
    !isRecord(component) ||
    !Array.isArray(translations) ||
    !Array.isArray(units) ||
    !Array.isArray(screenshots)
  )
    throw new FormatError("is not a component of a backup as Weblate writes it");
  return {
    slug,
    source: textIn(component, "source_language") || "en",
    template: textIn(component, "template"),
    base: textIn(component, "new_base"),
    repository: textIn(component, "repo"),
    isGlossary: component.is_glossary === true,
    translations: translations.filter(isRecord).map((one) => ({
      id: Number(one.id),
      code: textIn(one, "language_code"),
      filename: textIn(one, "filename"),
    })),
    units: units.filter(isRecord).map(toUnit),
    screenshots: screenshots.filter(isRecord).map((one) => ({
      name: textIn(one, "name"),
      image: textIn(one, "image"),
      units: textsIn(one.units),
    })),
  };
}

function toUnit(unit: Readonly<Record<string, unknown>>): Unit {
  const flags = `${textIn(unit, "flags")},${textIn(unit, "extra_flags")}`;
  const [, length] = /(?:^|,)\s*max-length:(\d+)/.exec(flags) ?? [];
  const isKept = /(?:^|,)\s*read-only\s*(?:,|$)/.test(flags);
  const comments = (Array.isArray(unit.comments) ? unit.comments : []).filter(isObject).map((comment) => {
    const author = textIn(comment, "user");
    return author === "" ? textIn(comment, "comment") : `${author}: ${textIn(comment, "comment")}`;
  });
  const said = [textIn(unit, "explanation"), textIn(unit, "note"), ...comments];
  return {
    translation: Number(unit.translation_id),
    hash: textIn(unit, "id_hash"),
    context: textIn(unit, "context"),
    source: textIn(unit, "source"),
    target: textIn(unit, "target"),
    state: Number(unit.state),
    about: cutNote({
      note: said.filter((text) => text.trim() !== "").join("\n"),
      tags: textsIn(unit.labels),
      max_length: length === undefined ? undefined : Number(length),
      keep: isKept ? true : undefined,
    }),
    suggestions: Array.isArray(unit.suggestions) ? unit.suggestions.length : 0,
    isForbidden: /(?:^|,)\s*forbidden\s*(?:,|$)/.test(flags),
  };
}

function textIn(record: object, name: string): string {
  const value: unknown = Object.hasOwn(record, name) ? Reflect.get(record, name) : undefined;
  return typeof value === "string" ? value : "";
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
