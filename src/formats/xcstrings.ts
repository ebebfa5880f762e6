/**
 * Xcode's string catalogs. One file has the texts of all locales; the source's are never written. A text of the source
 * locale that is not in the file is its key.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { ownMember } from "../domain/record.ts";
import {
  localesIn,
  localizationOf,
  memberOf,
  objectIn,
  placesOf,
  readCatalog,
  textIn,
  translatedUnits,
  unitsOf,
  type CatalogString,
  type CatalogUnit,
  type UnitPath,
} from "./apple/string-catalog.ts";
import { JsonMembers, type JsonObject } from "./apple/json-members.ts";
import { FormatError, textFormat, type FileContext, type FileEdit } from "./format.ts";
import { parseNode, recordOf } from "./patch/json-tree.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { SpliceWriter } from "./patch/splices.ts";
import { fileRoot, groupIn, otherNode, toParsedFile, type Entry, type GroupNode } from "./patch/tree.ts";

export const xcstrings = textFormat({
  parse(text, { locale, sourceLocale }) {
    const { root, strings } = readCatalog(text);
    const source = textIn(root, "sourceLanguage");
    if (source !== sourceLocale)
      throw new FormatError(`has ${source ?? ""} as its sourceLanguage, not ${sourceLocale}`, 1);
    const entries = strings.flatMap((one) => entriesOf(one, locale, sourceLocale));
    return toParsedFile(fileRoot(text, entries), text);
  },
  write: (edit, context) => new CatalogWriter(edit, context).write(),
  locales: (text) => localesIn(readCatalog(text)),
});

/** The texts of a string in a locale: one, or a group for its forms; the texts of its substitutions stand behind it. */
function entriesOf(string: CatalogString, locale: string, sourceLocale: string): readonly Entry[] {
  const { name, entry, object } = string;
  const { start, end } = entry;
  const note = () => noteOf(object);
  const isSource = locale === sourceLocale;
  const source = unitsOf(name, localizationOf(string, sourceLocale));
  const units = isSource ? source : translatedUnits(string, locale, source);
  if (units.length === 0 && isSource)
    return [{ name, start, end, node: { kind: "text", text: name, start, end }, note }];
  const groups = new Map<string, Entry[]>();
  const entries: Entry[] = [];
  for (const { key, path, value, isTranslated } of units) {
    const node = isTranslated || isSource ? value : otherNode(value);
    const last = path.at(-1) ?? (key === name ? key : key.slice(name.length + 1));
    const own: Entry = { name: last, start: value.start, end: value.end, node, note };
    if (key === name) entries.push(own);
    else {
      const stem = key.slice(0, -last.length - 1);
      const group = groups.get(stem) ?? [];
      group.push(own);
      if (!groups.has(stem)) entries.push({ name: stem, start, end, node: groupIn(entry, group) });
      groups.set(stem, group);
    }
  }
  return entries;
}

function noteOf(object: GroupNode): AppNote | undefined {
  const keep = memberOf(object, "shouldTranslate");
  const isKept = keep !== undefined && keep.node.end - keep.node.start === "false".length;
  return joinNotes(textNote(textIn(object, "comment")), isKept ? { keep: true } : undefined);
}

class CatalogWriter extends SpliceWriter {
  readonly #context: FileContext;
  readonly #members: JsonMembers;

  constructor(edit: FileEdit<string>, context: FileContext) {
    super(edit);
    this.#context = context;
    this.#members = new JsonMembers(this.text);
  }

  write(): string {
    for (const string of readCatalog(this.text).strings) this.#writeString(string);
    this.splices.push(...this.#members.splices());
    return this.end();
  }

  #writeString(string: CatalogString): void {
    const { texts, removed } = this.edit;
    const { locale, sourceLocale } = this.#context;
    const source = unitsOf(string.name, localizationOf(string, sourceLocale));
    const local = translatedUnits(string, locale, source);
    const places = new Map<string, UnitPath>([
      ...local.map(({ key, path }) => [key, path] as const),
      ...(source.length === 0 ? [[string.name, []] as const] : placesOf(source)),
    ]);
    const units = new Map(local.map((unit) => [unit.key, unit]));
    // One text for all forms stays so until there is one of another form.
    for (const { key, path } of local)
      if (path.length === 0 && ![...places.keys()].some((other) => other !== key && texts.has(other)))
        places.set(key, path);
    let added: JsonObject | undefined;
    for (const [key, path] of places) {
      const text = texts.get(key);
      const unit = units.get(key);
      if (text === undefined) continue;
      if (unit !== undefined && samePath(unit.path, path)) this.#replaceUnit(unit, text);
      else added = withText(added ?? {}, path, text);
    }
    if (added !== undefined) this.#add(string, added);
    for (const { key, path } of local) if (removed.has(key) && !texts.has(key)) this.#remove(string, path);
  }

  #replaceUnit({ value, state, isTranslated }: CatalogUnit, text: string): void {
    if (value.kind !== "text") return;
    if (value.text !== text) this.replace(value, JSON.stringify(text));
    if (!isTranslated && state !== undefined) this.replace(state, '"translated"');
  }

  /** Adds what is new to the objects that are there. */
  #add(string: CatalogString, added: JsonObject): void {
    const { locale, sourceLocale } = this.#context;
    const whole = {
      localizations: { [locale]: this.#withArguments(added, localizationOf(string, sourceLocale)) },
    };
    const visit = (object: GroupNode, members: JsonObject): void => {
      for (const [name, value] of Object.entries(members)) {
        const present = memberOf(object, name)?.node;
        if (present?.kind === "group" && typeof value === "object") visit(present, value);
        else if (present === undefined) this.#members.add(object, name, value);
        else if (typeof value !== "object") this.replace(present, JSON.stringify(value));
        // A string is either one text or has variations, of one kind.
        for (const other of ownMember(rivals, name) ?? []) {
          const entry = memberOf(object, other);
          if (entry !== undefined) this.#members.remove(object, entry);
        }
      }
    };
    visit(string.object, whole);
  }

  /** Gives a substitution that the locale lacks what the source says of its argument. */
  #withArguments(added: JsonObject, source: GroupNode | undefined): JsonObject {
    const { substitutions } = added;
    if (typeof substitutions !== "object") return added;
    const all = Object.entries(substitutions).map(([name, value]) => {
      const like = objectIn(objectIn(source, "substitutions"), name);
      const { argNum, formatSpecifier } = recordOf(like && parseNode(like, this.text));
      const own: JsonObject = {
        ...(typeof argNum === "number" ? { argNum } : {}),
        ...(typeof formatSpecifier === "string" ? { formatSpecifier } : {}),
      };
      return [name, typeof value === "object" ? { ...own, ...value } : value] as const;
    });
    return { ...added, substitutions: Object.fromEntries(all) };
  }

  /** Removes a text, and the objects around it that hold nothing else, but not the string. */
  #remove({ object }: CatalogString, path: UnitPath): void {
    const names = ["localizations", this.#context.locale, ...path, "stringUnit"];
    const objects: GroupNode[] = [object];
    for (const name of names) {
      const inner = objectIn(objects.at(-1), name);
      if (inner !== undefined) objects.push(inner);
    }
    for (let i = names.length - 1; i >= 0; i--) {
      const parent = objects[i];
      const entry = memberOf(parent, names[i] ?? "");
      if (parent === undefined || entry === undefined) return;
      this.#members.remove(parent, entry);
      if (i === 0 || !this.#members.dropEmptied(parent)) return;
    }
  }
}

/** Members of an object that cannot stand beside another. */
const rivals: Readonly<Record<string, readonly string[]>> = {
  stringUnit: ["variations"],
  variations: ["stringUnit"],
  plural: ["device"],
  device: ["plural"],
};

/** An object with a text at a path. */
function withText(object: JsonObject, [name, ...rest]: UnitPath, text: string): JsonObject {
  if (name === undefined) return { ...object, stringUnit: { state: "translated", value: text } };
  const inner = object[name];
  return { ...object, [name]: withText(typeof inner === "object" ? inner : {}, rest, text) };
}

function samePath(a: UnitPath, b: UnitPath): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
