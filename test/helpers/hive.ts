/** Hives in memory for tests of the domain. */
import { Issues } from "../../src/domain/errors.ts";
import type { FormatName, Shape } from "../../src/domain/export/formats/formats.ts";
import { localesOf } from "../../src/domain/hives/hive-settings.ts";
import type { HiveContent, Plan } from "../../src/domain/strings/hive-content.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import type { LocaleCode } from "../../src/domain/hives/locale.ts";
import { isFileName, type FileName } from "../../src/domain/names.ts";
import type { StringFile, Texts } from "../../src/domain/strings/string-file.ts";
import { compareBytes } from "../../src/domain/text.ts";
import { toStringFile } from "../../src/domain/strings/string-file.ts";
import { exportBundled } from "./domain.ts";

export function fileNamed(name: string): FileName {
  if (!isFileName(name)) throw new Error(`not a file name: ${name}`);
  return name;
}

export function contentOf(value: unknown): StringFile {
  const issues = new Issues();
  const file = toStringFile(value, "file", issues);
  issues.throwIfAny();
  return file;
}

/** Source files as a request has them. */
export function sourceFiles(files: Readonly<Record<string, unknown>>): Map<FileName, StringFile> {
  return new Map(Object.entries(files).map(([name, file]) => [fileNamed(name), contentOf(file)]));
}

export interface HiveFixture {
  readonly source?: string;
  readonly locales?: readonly string[];
  readonly files?: Readonly<Record<string, unknown>>;
  /** Locale code → file → flattened key → text. */
  readonly translations?: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
  >;
}

export function hiveOf({
  source = "en",
  locales = ["fr"],
  files = {},
  translations = {},
}: HiveFixture): HiveContent {
  return {
    settings: {
      name: "test",
      sourceLocale: toLocale(source),
      targetLocales: locales.map((locale) => toLocale(locale)),
    },
    source: new Map(toSorted([...sourceFiles(files)])),
    translations: new Map(
      Object.entries(translations).map(([code, texts]) => [
        toLocale(code).code,
        new Map(
          Object.entries(texts).map(([name, keys]) => [fileNamed(name), new Map(Object.entries(keys))]),
        ),
      ]),
    ),
  };
}

function toSorted<T>(entries: [FileName, T][]): [FileName, T][] {
  return entries.toSorted(([a], [b]) => compareBytes(a, b));
}

/** The Hive after a plan, as a restart would find it: every file through its JSON. */
export function applied(hive: HiveContent, plan: Plan<unknown>): HiveContent {
  const source = new Map(hive.source);
  const translations = new Map<LocaleCode, Map<FileName, Texts>>(
    Array.from(hive.translations, ([code, files]) => [code, new Map(files)]),
  );
  for (const { locale, file, content } of plan.writes) {
    const reread = content && contentOf(JSON.parse(JSON.stringify(content.group)));
    if (locale === hive.settings.sourceLocale.code) {
      if (reread === undefined) source.delete(file);
      else source.set(file, reread);
    } else {
      const files = translations.get(locale) ?? new Map<FileName, Texts>();
      translations.set(locale, files);
      if (reread === undefined) files.delete(file);
      else files.set(file, reread.texts);
    }
  }
  return { ...hive, source: new Map(toSorted([...source])), translations };
}

/** An export of all locales, the source locale too. */
export async function exportAllLocales(
  hive: HiveContent,
  format: FormatName,
  shape: Shape = "flat",
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const locale of localesOf(hive.settings)) {
    for (const [name, content] of await exportBundled(hive, locale, { format, shape }))
      files.set(name, content);
  }
  return files;
}
