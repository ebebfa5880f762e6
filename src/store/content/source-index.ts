/** Lists and counts of a Hive's source strings at one commit. */
import { countStrings, countTranslatable, type SourceFiles } from "../../domain/strings/hive-content.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { filtered } from "../../domain/filtered.ts";
import type { StringAddress } from "../../domain/move.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { isPlural } from "../../domain/strings/string-file.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import type { StringFile } from "../../domain/strings/string-file.ts";

/** A source string as lists show it. */
export interface SourceString {
  readonly key: string;
  readonly text: string;
  readonly isPlural: boolean;
  readonly file: FileName;
}

export interface StringQuery extends OffsetLimit {
  /** Only strings of this file. */
  readonly file?: string;
  /** Only strings of which this is true; all if undefined. */
  readonly isWanted?: (at: StringAddress) => boolean;
}

export class HiveIndex {
  readonly settings: HiveSettings;
  /** In byte order of the file names. */
  readonly source: SourceFiles;
  readonly stringCount: number;
  #translatableCount: number | undefined;

  constructor(settings: HiveSettings, source: SourceFiles) {
    this.settings = settings;
    this.source = source;
    this.stringCount = countStrings(source);
  }

  /** See {@link countTranslatable}; counted once. */
  get translatableCount(): number {
    return (this.#translatableCount ??= countTranslatable(this.source));
  }

  /** A page of the source strings (files in byte order of name, keys in file order), and their total number. */
  list({ offset, limit, file, isWanted }: StringQuery): {
    readonly strings: readonly SourceString[];
    readonly total: number;
  } {
    const files = file === undefined ? this.source : this.#only(file);
    const strings: SourceString[] = [];
    let start = 0;
    for (const [name, { texts: all }] of files) {
      const texts = isWanted === undefined ? all : filtered(all, (key) => isWanted({ file: name, key }));
      if (start + texts.size > offset && start < offset + limit) {
        let at = start;
        for (const [key, text] of texts) {
          if (at >= offset + limit) break;
          if (at++ >= offset) strings.push({ key, text, isPlural: isPlural(text), file: name });
        }
      }
      start += texts.size;
    }
    return { strings, total: start };
  }

  #only(file: string): SourceFiles {
    const found: StringFile | undefined = isFileName(file) ? this.source.get(file) : undefined;
    return isFileName(file) && found !== undefined ? new Map([[file, found]]) : new Map();
  }
}
