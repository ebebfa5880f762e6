/** XLIFF 1.2 and 2.1 for agencies: a `<file>` for each file of the Hive, a unit for each text. */
import { groupBy } from "../../domain/group-by.ts";
import { notXml, writeAround, writeAttribute, writePlainText } from "../patch/xml-content.ts";
import type { ExchangeDocument, ExchangeUnit } from "./unit.ts";
import { exchangeVersions, idOf, type ExchangeVersion } from "../xliff/xliff-names.ts";

/** Writes units as XLIFF. Markup in texts is text, so that nothing of it can be lost. */
export function writeXliff(document: ExchangeDocument, version: ExchangeVersion = "1.2"): string {
  const { sourceLocale, targetLocale, units } = document;
  const { namespace, sourceLanguage, targetLanguage, languagesOf } = exchangeVersions[version];
  const locales = { [sourceLanguage]: sourceLocale, [targetLanguage]: targetLocale };
  const root = { version, xmlns: namespace, ...(languagesOf === "xliff" ? locales : {}) };
  const files = groupBy(units, ({ file }) => file);
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<xliff${attributes(root)}>`];
  for (const [file, inFile] of files) {
    if (version === "1.2") {
      const names = { original: file, datatype: "plaintext", ...locales };
      lines.push(`  <file${attributes(names)}>`, "    <body>");
      for (const unit of inFile) lines.push(...transUnit(unit));
      lines.push("    </body>", "  </file>");
    } else {
      // A text is translated as a whole; one that comes back in segments all the same is read.
      lines.push(`  <file${attributes({ id: idOf(file), original: file, canResegment: "no" })}>`);
      for (const unit of inFile) lines.push(...unitOf(unit));
      lines.push("  </file>");
    }
  }
  if (files.size === 0) lines.push(...emptyFile(version, locales));
  return [...lines, "</xliff>", ""].join("\n");
}

/** A document must have a file; one of XLIFF 2 must have a unit or a group, which may be empty. */
function emptyFile(version: ExchangeVersion, locales: Readonly<Record<string, string>>): readonly string[] {
  const original = "none";
  return version === "1.2"
    ? [`  <file${attributes({ original, datatype: "plaintext", ...locales })}>`, "    <body/>", "  </file>"]
    : [`  <file${attributes({ id: original, original })}>`, `    <group id="${original}"/>`, "  </file>"];
}

const states12 = {
  missing: "new",
  stale: "needs-review-translation",
  waiting: "needs-review-translation",
  approved: "final",
};

function transUnit(unit: ExchangeUnit): readonly string[] {
  const { key, source, translation = "", state } = unit;
  const approved = state === "approved" ? { approved: "yes" } : undefined;
  return [
    `      <trans-unit${attributes({ id: idOf(key), resname: key, ...approved, "xml:space": "preserve" })}>`,
    `        <source>${content(source, "1.2")}</source>`,
    `        <target${attributes({ state: states12[state] })}>${content(translation, "1.2")}</target>`,
    ...notesOf(unit),
    "      </trans-unit>",
  ];
}

/** XLIFF 2 has no state for a translation to be looked at again; a value with a prefix is the writer's own. */
const states21 = {
  missing: { state: "initial" },
  stale: { state: "initial", subState: "skep:stale" },
  waiting: { state: "initial", subState: "skep:waiting" },
  approved: { state: "final" },
};

function unitOf(unit: ExchangeUnit): readonly string[] {
  const { key, source, translation = "", state } = unit;
  const notes = notesOf(unit);
  return [
    `    <unit${attributes({ id: idOf(key), name: key, "xml:space": "preserve" })}>`,
    ...(notes.length === 0 ? [] : [`      <notes>`, ...notes, `      </notes>`]),
    `      <segment${attributes(states21[state])}>`,
    `        <source>${content(source, "2.1")}</source>`,
    `        <target>${content(translation, "2.1")}</target>`,
    "      </segment>",
    "    </unit>",
  ];
}

/** Notes are for people: a character that XML cannot hold is only told. */
function notesOf({ notes = [] }: ExchangeUnit): readonly string[] {
  return notes.map((text) => `        <note>${replaceNotXml(text, (hex) => `\\u${hex}`)}</note>`);
}

/** Attributes with a space before each; one whose value XML cannot hold is left out, as its id says the same. */
function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .filter(([, value]) => !notXml.test(value))
    .map(([name, value]) => ` ${name}="${writeAttribute(value)}"`)
    .join("");
}

function content(text: string, version: ExchangeVersion): string {
  let count = 0;
  return replaceNotXml(text, (hex) => {
    count++;
    return version === "1.2" ? `<x id="c${count}-U${hex}"/>` : `<cp hex="${hex}"/>`;
  });
}

function replaceNotXml(text: string, replacement: (hex: string) => string): string {
  return writeAround(text, (part) => writePlainText(part, "\n").replaceAll('"', "&quot;"), replacement);
}
