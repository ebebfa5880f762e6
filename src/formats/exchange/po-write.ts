/** Texts for translators who use programs for gettext: a catalogue of its own, with the notes as comments. */
import { writePoLines, writePoText } from "../gettext/po-file.ts";
import { pluralFormsOf } from "../gettext/gettext-plurals.ts";
import type { ExchangeDocument, ExchangeUnit } from "./unit.ts";

/** Writes units as a catalogue. The context of a message is its file and key, so that equal texts stay apart. */
export function writePo({ targetLocale, units }: ExchangeDocument): string {
  const header = [
    `Language: ${targetLocale.replaceAll("-", "_")}`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=UTF-8",
    "Content-Transfer-Encoding: 8bit",
    `Plural-Forms: ${pluralFormsOf(targetLocale)}`,
    "",
  ].join("\n");
  const messages = units.map(toMessage);
  return [`msgid ""\nmsgstr ${writePoLines(header, "\n")}\n`, ...messages].join("\n");
}

function toMessage({
  file,
  key,
  source,
  translation = "",
  state,
  notes = [],
  where = [],
}: ExchangeUnit): string {
  return [
    ...notes
      .flatMap((text) => text.split(/\r\n?|[\n\v\f\u0085\u2028\u2029]/))
      .map((line) => `#. ${line}`.trimEnd()),
    ...where.map((place) => `#: ${place}`),
    ...(state === "stale" ? ["#, fuzzy"] : []),
    `msgctxt ${writePoText(`${file}: ${key}`)}`,
    `msgid ${writePoLines(source, "\n")}`,
    `msgstr ${writePoLines(translation, "\n")}`,
    "",
  ].join("\n");
}
