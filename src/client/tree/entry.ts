/** An entry of `files` in `skep.yaml`: its patterns, and the codes that its files have for locales. */
import { codesWrittenLike } from "../../domain/hives/code-style.ts";
import { ownMember } from "../../domain/record.ts";
import { formatNamed, formatOfPath, type FormatRow } from "../../formats/formats.ts";
import type { HiveLocale } from "../api/hive-api.ts";
import { canonicalCode, hasCodeForm, isLanguageCode } from "./language-code.ts";
import { beginsWithFolder, parsePattern, wildcardPart, type Pattern } from "./pattern.ts";
import type { FileEntry } from "./schema.ts";

export class Entry {
  readonly entry: FileEntry;
  readonly path: Pattern;
  readonly source: Pattern;
  readonly name: Pattern;
  readonly format: FormatRow | undefined;
  /** Codes of locales without files, as the files of their neighbours have theirs. */
  readonly #styled = new Map<string, string>();

  constructor(entry: FileEntry) {
    this.entry = entry;
    this.format = entry.format === undefined ? formatOfPath(entry.path) : formatNamed(entry.format);
    this.path = parsePattern(entry.path);
    this.source = parsePattern(entry.source ?? entry.path);
    this.name = entry.name === undefined ? wildcardPart(this.source) : parsePattern(entry.name);
  }

  codeOf(locale: HiveLocale): string {
    const { code, canonical } = locale;
    return this.#named(locale) ?? this.format?.localeCode?.(canonical) ?? this.#styled.get(code) ?? code;
  }

  /**
   * Has locales without files write their codes as the others do: `pt_AO` beside `pt_BR`, `zh-tw` beside `zh-cn`. Codes that
   * the Hive or the settings choose stay.
   * @param hasFiles tells whether there is a file with a code.
   */
  async followNeighbours(
    locales: readonly HiveLocale[],
    hasFiles: (code: string) => Promise<boolean>,
  ): Promise<void> {
    if (this.format?.localeCode !== undefined) return;
    const withRegion = locales.filter(({ canonical }) => canonical.includes("-"));
    const isFree = (locale: HiveLocale): boolean =>
      locale.code === locale.canonical && this.#named(locale) === undefined;
    const free: HiveLocale[] = [];
    const codes: string[] = [];
    for (const locale of withRegion) {
      if (isFree(locale) && !(await hasFiles(locale.code))) free.push(locale);
      else codes.push(this.codeOf(locale));
    }
    if (codes.length === 0 || free.length === 0) return;
    const written = codesWrittenLike(codes);
    for (const { code } of free) this.#styled.set(code, written(code));
  }

  /**
   * Whether the code of a locale can be a part of paths: it is the code of a language, or `locales` names it. In a folder of
   * the app's own choice the code of a language that is not known here can be, too.
   */
  explains(locale: HiveLocale): boolean {
    const { code, canonical } = locale;
    const used = this.format?.localeCode === undefined ? code : canonical;
    const isNamed = this.#named(locale) !== undefined;
    return isNamed || isLanguageCode(used) || (hasCodeForm(used) && beginsWithFolder(this.path));
  }

  /** The BCP 47 code for a code in paths; undefined where it is none. */
  canonicalOf(code: string): string | undefined {
    const given = this.format?.canonicalCode === undefined ? code : this.format.canonicalCode(code);
    const isKnown = given !== undefined && (isLanguageCode(given) || beginsWithFolder(this.path));
    return isKnown ? canonicalCode(given) : undefined;
  }

  #named({ code, canonical }: HiveLocale): string | undefined {
    const { locales = {} } = this.entry;
    return ownMember(locales, code) ?? ownMember(locales, canonical);
  }
}
