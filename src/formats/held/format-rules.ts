/**
 * Which texts no file of a format can hold, for those who have no file at hand: the checks. Formats that are not listed hold
 * every text that can be stored. It is loaded with the checks, so it has no parser of a whole format.
 */
import type { FormatName, FormatRules } from "../../domain/files/file-formats.ts";
import { androidProblem } from "../android/android-text.ts";
import { fluentProblem } from "../fluent/fluent-text.ts";
import { formatOfPath } from "../formats.ts";
import { iniProblem } from "../ini/ini-write.ts";
import { notXml, plainTextProblem } from "../patch/xml-content.ts";
import { xliffProblem } from "../xliff/xliff-content.ts";

const plainXml: FormatRules = { mayFail: notXml, problemIn: plainTextProblem };

/** By the name of the format. */
const rules: Readonly<Partial<Record<FormatName, FormatRules>>> = {
  android: { mayFail: /</, problemIn: androidProblem },
  fluent: { mayFail: /[{}\n]|^\s|\s$/, problemIn: fluentProblem },
  ini: { mayFail: /[\r\n]/, problemIn: iniProblem },
  po: { isGettext: true },
  resx: plainXml,
  stringsdict: plainXml,
  xliff: { mayFail: new RegExp(`<|${notXml.source}`, "u"), problemIn: xliffProblem, isXliff: true },
};

/**
 * The rules for a file; undefined where there are none, or its format is not known.
 * @param format the name of its format, by the ending of the file if not given.
 */
export function formatRulesOf(
  file: string,
  format: FormatName | undefined = formatOfPath(file)?.name,
): FormatRules | undefined {
  return format === undefined ? undefined : rules[format];
}
