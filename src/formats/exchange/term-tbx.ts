/**
 * Glossaries as TBX (ISO 30042). Written as TBX-Basic of 2008, which most tools read; read as that or as the edition of
 * 2019. What TBX has no place for is written as notes of Skep's own, which other tools pass over.
 */
import { writeAttribute, writePlainText } from "../patch/xml-content.ts";
import { childElements, readXmlTree, type XmlElement } from "../patch/xml-tree.ts";
import { emptyRecord } from "../../domain/record.ts";
import { FormatError } from "../format.ts";
import type { ExchangeTerm, ExchangeTranslation, TermLocales } from "./exchange-term.ts";
import { decodeText } from "./unit.ts";

type Status = "preferred" | "admitted" | "deprecated";
const statuses: Readonly<Record<Status, string>> = {
  preferred: "preferredTerm-admn-sts",
  admitted: "admittedTerm-admn-sts",
  deprecated: "deprecatedTerm-admn-sts",
};

/** Writes terms as TBX. @throws FormatError for a character that XML has no spelling for. */
export function writeTermsTbx(terms: readonly ExchangeTerm[], { source, targets }: TermLocales): string {
  const entries = terms.map((term, i) => {
    const definition = element("descrip", "definition", term.meaning);
    const own = tig(term.source, [
      note("partOfSpeech", term.part_of_speech),
      note("x-skep-match", term.match === "word" ? undefined : term.match),
      note("x-skep-case", term.case === true ? "true" : undefined),
      note("x-skep-keep", term.keep === true ? "true" : undefined),
    ]);
    const others = targets.map((locale) => {
      const { text, accepted = [], forbidden = [], keep = false } = term.translations[locale] ?? {};
      const kept = keep ? [tig(term.source, [note("x-skep-keep", "true")])] : [];
      return langSet(locale, [
        ...kept,
        ...(text === undefined || text === null ? [] : [withStatus(text, "preferred")]),
        ...accepted.map((spelling) => withStatus(spelling, "admitted")),
        ...forbidden.map((spelling) => withStatus(spelling, "deprecated")),
      ]);
    });
    return `<termEntry id="t${i + 1}">${definition}${langSet(source, [own])}${others.join("")}</termEntry>\n`;
  });
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<martif type="TBX-Basic" xml:lang="${writeAttribute(source)}">\n` +
    `<martifHeader><fileDesc><sourceDesc><p>Skep</p></sourceDesc></fileDesc></martifHeader>\n` +
    `<text><body>\n${entries.join("")}</body></text>\n</martif>\n`
  );
}

function langSet(locale: string, tigs: readonly string[]): string {
  return tigs.length === 0 ? "" : `<langSet xml:lang="${writeAttribute(locale)}">${tigs.join("")}</langSet>`;
}

function tig(term: string, notes: readonly string[]): string {
  return `<tig><term>${writePlainText(term, "\n")}</term>${notes.join("")}</tig>`;
}

function withStatus(term: string, status: Status): string {
  return tig(term, [note("administrativeStatus", statuses[status])]);
}

function note(type: string, value: string | null | undefined): string {
  return element("termNote", type, value);
}

function element(tag: string, type: string, value: string | null | undefined): string {
  return value === undefined || value === null
    ? ""
    : `<${tag} type="${type}">${writePlainText(value, "\n")}</${tag}>`;
}

/** A term of one language of a concept. */
interface TbxTerm {
  readonly text: string;
  readonly status: Status | undefined;
  /** By their types. */
  readonly notes: ReadonlyMap<string, string>;
}

/** The terms of a TBX file, and the locales of it that the Hive does not have. */
export interface ReadTerms {
  readonly terms: readonly ExchangeTerm[];
  readonly unknownLocales: readonly string[];
  /** Spellings of concepts that are themselves not to be used in the source locale. */
  readonly forbidden: readonly string[];
}

/**
 * Reads a TBX file. Of several terms of a concept in the source locale, each becomes one.
 * @throws FormatError when it is no TBX, has an internal subset, or an entity that it would define.
 */
export function readTermsTbx(bytes: Uint8Array, locales: TermLocales): ReadTerms {
  const root = readXmlTree(decodeText(bytes), { takesDoctype: true });
  if (root.name !== "martif" && root.name !== "tbx") throw new FormatError("is not TBX", root.line);
  const unknown = new Set<string>();
  const codeOf = localeFinder(locales, unknown);
  const body = childElements(root)
    .filter(({ name }) => name === "text")
    .flatMap((text) => childElements(text).filter(({ name }) => name === "body"));
  const concepts = body.flatMap((each) =>
    childElements(each).filter(({ name }) => name === "termEntry" || name === "conceptEntry"),
  );
  const forbidden: string[] = [];
  const terms = concepts.flatMap((concept) => termsOfConcept(concept, locales.source, codeOf, forbidden));
  return { terms, unknownLocales: [...unknown], forbidden };
}

function termsOfConcept(
  concept: XmlElement,
  sourceLocale: string,
  codeOf: (language: string) => string | undefined,
  forbidden: string[],
): readonly ExchangeTerm[] {
  const sources: TbxTerm[] = [];
  const translations = emptyRecord<ExchangeTranslation>();
  const about = notesOf(concept);
  let meaning = about.get("definition");
  for (const set of childElements(concept)) {
    if (set.name !== "langSet" && set.name !== "langSec") continue;
    const locale = codeOf(set.attributes.get("xml:lang") ?? "");
    if (locale === undefined) continue;
    const terms = childElements(set).flatMap(toTerm);
    if (locale === sourceLocale) {
      for (const term of terms) {
        if (term.status === "deprecated") forbidden.push(term.text);
        else sources.push(term);
      }
      meaning ??= notesOf(set).get("definition");
    } else translations[locale] = toTranslation(terms);
  }
  // Weblate's words for a term that stays as it is.
  const stays = (notes: TbxTerm["notes"]): boolean =>
    isNo(about.get("Translation needed")) || isNo(notes.get("translationNote"));
  return sources.map(({ text, notes }) => ({
    source: text,
    part_of_speech: notes.get("partOfSpeech"),
    meaning: notes.get("definition") ?? meaning,
    match: notes.get("x-skep-match"),
    case: toFlag(notes.get("x-skep-case")),
    keep: stays(notes) ? true : toFlag(notes.get("x-skep-keep")),
    translations: stays(notes) ? {} : translations,
  }));
}

function isNo(text: string | undefined): boolean {
  return text?.toLowerCase() === "no";
}

function toFlag(text: string | undefined): true | undefined {
  return text === "true" ? true : undefined;
}

function toTranslation(terms: readonly TbxTerm[]): ExchangeTranslation {
  const isKept = ({ notes }: TbxTerm): boolean => notes.has("x-skep-keep");
  const textsOf = (status: Status): string[] =>
    terms.filter((term) => !isKept(term) && (term.status ?? "preferred") === status).map(({ text }) => text);
  const [text, ...others] = textsOf("preferred");
  const accepted = [...others, ...textsOf("admitted")];
  const forbidden = textsOf("deprecated");
  return {
    ...(text === undefined ? {} : { text }),
    ...(accepted.length === 0 ? {} : { accepted }),
    ...(forbidden.length === 0 ? {} : { forbidden }),
    ...(terms.some(isKept) ? { keep: true } : {}),
  };
}

/** The term of a `tig`, of the `termGrp` of a `ntig`, or of a `termSec`. */
function toTerm(group: XmlElement): readonly TbxTerm[] {
  if (!["tig", "ntig", "termGrp", "termSec"].includes(group.name)) return [];
  if (group.name === "ntig") return childElements(group).flatMap(toTerm);
  const term = childElements(group).find(({ name }) => name === "term");
  const text = term === undefined ? "" : textOf(term).trim();
  if (text === "") return [];
  const notes = notesOf(group);
  const given = notes.get("administrativeStatus") ?? "";
  // Obsolete and forbidden are Weblate's.
  const isWrong = /^(?:deprecated|superseded|obsolete|forbidden)/.test(given);
  const status = isWrong ? "deprecated" : given.startsWith("admitted") ? "admitted" : undefined;
  return [{ text, status, notes }];
}

/** What is said of a concept, a language or a term: by the attribute `type`, or by elements of that name. */
function notesOf(parent: XmlElement): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const child of childElements(parent)) {
    const inner = child.name.endsWith("Grp") && child.name !== "termGrp" ? notesOf(child) : undefined;
    for (const [name, text] of inner ?? []) notes.set(name, text);
    const text = textOf(child).trim();
    if (inner === undefined && text !== "") notes.set(child.attributes.get("type") ?? child.name, text);
  }
  return notes;
}

function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

/** Finds the locale of the Hive for a language of the file: the same code, or the only one of that language. */
function localeFinder({ source, targets }: TermLocales, unknown: Set<string>) {
  const all = [source, ...targets];
  const known = new Map<string, string | undefined>();
  return (language: string): string | undefined => {
    if (known.has(language)) return known.get(language);
    const same = all.find((code) => folded(code) === folded(language));
    const like = all.filter((code) => languageOf(code) === languageOf(language));
    const found = same ?? (like.length === 1 ? like[0] : undefined);
    if (found === undefined) unknown.add(language);
    known.set(language, found);
    return found;
  };
}

function folded(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}

function languageOf(code: string): string {
  return folded(code).split("-", 1)[0] ?? "";
}
