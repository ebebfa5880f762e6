/**
 * Which texts no file of a format can hold, for those who have no file at hand: the checks. Formats that are not listed hold
 * every text that can be stored. It is loaded with the checks, so it has no parser of a whole format.
 */
import type { FormatRules } from "../../domain/plans/check-content.ts";
import { androidProblem } from "../android/android-text.ts";
import { fluentProblem } from "../fluent/fluent-text.ts";
import { formatOfPath } from "../formats.ts";
import { iniProblem } from "../ini/ini-write.ts";
import { notXml, plainTextProblem } from "../patch/xml-content.ts";
import { xliffProblem } from "../xliff/xliff-content.ts";

const plainXml: FormatRules = { mayFail: notXml, problemIn: plainTextProblem };

/** By the name of the format. That of gettext is left to the checks of a message, which tell its line breaks apart. */
const rules: Readonly<Record<string, FormatRules>> = {
  android: { mayFail: /</, problemIn: androidProblem },
  fluent: { mayFail: /[{}\n]|^\s|\s$/, problemIn: fluentProblem },
  ini: { mayFail: /[\r\n]/, problemIn: iniProblem },
  resx: plainXml,
  stringsdict: plainXml,
  xliff: { mayFail: new RegExp(`<|${notXml.source}`, "u"), problemIn: xliffProblem },
};

/**
 * The rules for a file; undefined where it can hold every text, or its format is not known.
 * @param format the name of its format, by the ending of the file if not given.
 */
export function formatRulesOf(file: string, format = formatOfPath(file)?.name): FormatRules | undefined {
  return format === undefined ? undefined : rules[format];
}
