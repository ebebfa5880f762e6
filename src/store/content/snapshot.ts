/** A Hive at one commit, read from its repository; unchanged parts are shared with an earlier snapshot. */
import {
  type HiveContent,
  type TranslationFiles,
  countStrings,
  countTranslatable,
  type SourceFiles,
} from "../../domain/strings/hive-content.ts";
import { ancestorsOf, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { parseHiveSettings } from "../settings/hive-settings-file.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { type Oid, type FileName } from "../../domain/names.ts";
import { type HiveState, withValues } from "../../domain/notes/hive-state.ts";
import type { StringFile } from "../../domain/strings/string-file.ts";
import { isPlural } from "../../domain/text.ts";
import type { ContentObjects } from "./content-objects.ts";
import { toContentInvalid, UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitInfo } from "../../git/objects/git-object.ts";
import {
  decode,
  FileReader,
  LazyLocale,
  localeFolder,
  type LocaleFiles,
  type WrittenFile,
  readable,
} from "./locale-files.ts";
import { fileIn, type Tree } from "../../git/objects/tree.ts";
import { StoredGlossary } from "./stored-glossary.ts";
import { StoredPictures } from "./stored-pictures.ts";
import { StoredSidecars } from "./stored-values.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { OffsetLimit, Page } from "../../domain/pagination.ts";

/** Up to how many bytes {@link Snapshot.check} leaves the translations that it reads in memory. */
const maxCheckedBytes = 67_108_864;

export const settingsPath = "hive.yaml";

/** What is in memory already when a snapshot is read. */
export interface KnownContent {
  readonly previous?: Snapshot;
  /** Whether changed translations are read only on demand, even if the earlier snapshot had them in memory. */
  readonly lazy?: boolean;
  /** The settings, where they differ from the commit's. */
  readonly settings?: StoredSettings;
  /** The tree and the new blobs of a commit that was just written. */
  readonly written?: { readonly tree: Tree; readonly files: ReadonlyMap<Oid, WrittenFile> };
}

/** Settings, the name of their blob, and the commit at which they were read. */
export interface StoredSettings {
  readonly commit: Oid;
  readonly oid: Oid;
  readonly settings: HiveSettings;
}

export class Snapshot {
  readonly commit: CommitInfo;
  readonly tree: Tree;
  readonly settings: HiveSettings;
  /** Where the settings are from: the commit itself, or of a branch the HEAD of main. */
  readonly storedSettings: StoredSettings;
  readonly index: HiveIndex;
  /** The values beside texts and strings, read when they are asked for. */
  readonly values: StoredSidecars;
  /** The pictures that show strings, read when they are asked for. */
  readonly pictures: StoredPictures;
  /** The terms and styles at this commit; on a branch, the terms of main count. */
  readonly glossary: StoredGlossary;
  readonly #source: LocaleFiles<StringFile>;
  readonly #translations: ReadonlyMap<LocaleCode, LazyLocale>;

  private constructor(
    repo: BareRepo,
    { commit, tree, storedSettings }: Pick<Snapshot, "commit" | "tree" | "storedSettings">,
    source: LocaleFiles<StringFile>,
    translations: ReadonlyMap<LocaleCode, LazyLocale>,
    previous: Snapshot | undefined,
  ) {
    this.commit = commit;
    this.tree = tree;
    const { settings } = storedSettings;
    const from = { repo, commit: commit.oid, tree };
    this.storedSettings = storedSettings;
    this.settings = settings;
    this.#source = source;
    this.#translations = translations;
    this.values = new StoredSidecars(from, previous?.values);
    this.pictures = new StoredPictures(from);
    this.glossary = new StoredGlossary(from);
    const isSame = previous?.settings === settings && previous.#source.oid === source.oid;
    this.index = isSame ? previous.index : new HiveIndex(settings, source.files);
  }

  /**
   * Reads the settings and the source strings at a commit; translations are read when they are asked for.
   * @throws UnreadablePath for content that is not a Hive's.
   */
  static async read(repo: BareRepo, commit: CommitInfo, known: KnownContent = {}): Promise<Snapshot> {
    const { previous, written, lazy = false } = known;
    const tree = written?.tree ?? (await repo.readTree(commit.tree, previous?.tree));
    const stored = known.settings ?? (await readSettings(repo, commit.oid, tree, previous));
    const { settings } = stored;
    const reader = new FileReader(repo, written?.files);
    const sourceCode = settings.sourceLocale.code;
    const sameSource = previous !== undefined && previous.settings.sourceLocale.code === sourceCode;
    const source = await reader.readSource(tree, sourceCode, sameSource ? previous.#source : undefined);
    const translations = new Map<LocaleCode, LazyLocale>();
    for (const { code } of settings.targetLocales) {
      const { oid } = localeFolder(tree, code);
      const old = previous === undefined ? undefined : previous.#translations.get(code);
      if (old?.oid === oid) {
        translations.set(code, old);
        continue;
      }
      const basis = { before: old?.loaded, source: source.files };
      const locale = new LazyLocale(oid, () => reader.readTranslations(tree, code, basis));
      // Translations in memory are updated at once: little of them changed, and reading them later costs as much.
      if (!lazy && old?.loaded !== undefined) await locale.load();
      translations.set(code, locale);
    }
    const at = { commit, tree, storedSettings: stored };
    return new Snapshot(repo, at, source, translations, previous);
  }

  /**
   * The source strings and settings, and the translations into some of the locales and those that these inherit from, or
   * into all.
   * @throws SkepError `content-invalid` when a file cannot be read.
   */
  async content(locales: readonly LocaleCode[] | "all"): Promise<HiveContent> {
    const wanted = locales === "all" ? [...this.#translations.keys()] : this.#withInherited(locales);
    const loaded = wanted.map(async (code): Promise<readonly [LocaleCode, TranslationFiles]> => {
      const files = await this.#translations.get(code)?.load();
      return [code, files?.files ?? new Map()];
    });
    try {
      const translations = new Map(await Promise.all(loaded));
      return { settings: this.settings, source: this.#source.files, translations };
    } catch (error) {
      throw toContentInvalid(this.commit.oid, error);
    }
  }

  /** All content, with everything that is stored beside it. @throws SkepError `content-invalid` when it cannot be read. */
  async state(): Promise<HiveState> {
    const content = await this.content("all");
    const [values, { pictures }] = await Promise.all([
      this.values.read([...content.translations.keys()], this.settings.sourceLocale.code),
      this.pictures.readable(),
    ]);
    return { content, ...withValues(values), pictures };
  }

  get folders(): ReadonlySet<Oid> {
    return new Set(Array.from(this.#translations.values(), ({ oid }) => oid));
  }

  /**
   * Reads every translation that is not known to be readable: one unreadable file makes the whole Hive unreadable, so
   * that its texts are never taken for deleted.
   * @param checked folders that were found readable before.
   * @throws SkepError `content-invalid` when a file cannot be read.
   */
  async check(checked: ReadonlySet<Oid>): Promise<void> {
    try {
      for (const locale of this.#translations.values()) {
        if (checked.has(locale.oid)) continue;
        // One after the other, and what would fill the memory is read again when it is asked for.
        if (this.bytes < maxCheckedBytes) await locale.load();
        else await locale.check();
      }
    } catch (error) {
      throw toContentInvalid(this.commit.oid, error);
    }
  }

  /** The approximate memory use in bytes: the size of the files that were read. */
  get bytes(): number {
    let bytes = this.#source.bytes;
    for (const { loaded } of this.#translations.values()) bytes += loaded?.bytes ?? 0;
    return bytes;
  }

  /** The names of the objects that the content in one locale follows from. */
  objectsOf(code: LocaleCode): Required<Omit<ContentObjects, "ancestors">> {
    const source = this.#source.oid;
    return {
      settings: this.storedSettings.oid,
      source,
      locale: this.#translations.get(code)?.oid ?? source,
      accepted: this.values.accepted.folder(code),
      review: this.values.review.folder(code),
      notes: this.values.notes.folder(),
    };
  }

  /** Some locales with those that they inherit from. */
  #withInherited(locales: readonly LocaleCode[]): readonly LocaleCode[] {
    const { targetLocales } = this.settings;
    const heirs = targetLocales.filter(
      ({ code, inherits }) => inherits !== undefined && locales.includes(code),
    );
    const inherited = heirs.flatMap((locale) => ancestorsOf(this.settings, locale).map(({ code }) => code));
    return inherited.length === 0 ? locales : [...new Set([...locales, ...inherited])];
  }

  /** Stands for the source strings: as long as it is the same, so are they. */
  get sourceVersion(): string {
    return this.#source.oid;
  }

  /**
   * The object names of the settings, the source strings and the translations that {@link content} gives for some locales:
   * two snapshots with the same version have equal content there.
   */
  version(locales: readonly LocaleCode[] = []): string {
    const translations = this.#withInherited(locales).map((code) => this.#translations.get(code)?.oid ?? "");
    return [this.storedSettings.oid, this.#source.oid, ...translations].join(":");
  }
}

/** The settings in a Hive's tree. @throws UnreadablePath when there are none that can be read. */
export async function readSettings(
  repo: BareRepo,
  commit: Oid,
  tree: Tree,
  previous?: Snapshot,
): Promise<StoredSettings> {
  return parseSettings(repo, commit, fileIn(tree, settingsPath), previous?.storedSettings);
}

/**
 * The settings at a commit, whose other content is not read.
 * @throws UnreadablePath when there are none that can be read.
 */
export async function readSettingsAt(
  repo: BareRepo,
  commit: Oid,
  previous?: StoredSettings,
): Promise<StoredSettings> {
  const { tree } = await repo.readCommit(commit);
  const entries = await repo.readFolder(tree, "/");
  return parseSettings(repo, commit, entries.find(({ name }) => name === settingsPath)?.oid, previous);
}

async function parseSettings(
  repo: BareRepo,
  commit: Oid,
  oid: Oid | undefined,
  previous: StoredSettings | undefined,
): Promise<StoredSettings> {
  if (oid === undefined) throw new UnreadablePath(settingsPath);
  if (previous?.oid === oid) return { ...previous, commit };
  const bytes = await repo.readBlob(oid, settingsPath);
  return readable(settingsPath, () => ({ commit, oid, settings: parseHiveSettings(decode(bytes)) }));
}

export interface SourceString {
  readonly key: string;
  readonly text: string;
  readonly isPlural: boolean;
  readonly file: FileName;
}

export interface StringQuery extends OffsetLimit {
  readonly file?: string;
  /** Only strings of which this is true; all if undefined. */
  readonly isWanted?: (at: StringAddress) => boolean;
}

class HiveIndex {
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
  list({ offset, limit, file, isWanted }: StringQuery): Page<SourceString> {
    const strings: SourceString[] = [];
    let start = 0;
    for (const [name, { texts }] of this.source) {
      if (file !== undefined && name !== file) continue;
      const isOutsidePage = start + texts.size <= offset || start >= offset + limit;
      if (isWanted === undefined && isOutsidePage) start += texts.size;
      else
        for (const [key, text] of texts) {
          if (isWanted?.({ file: name, key }) === false) continue;
          if (start >= offset && start < offset + limit)
            strings.push({ key, text, isPlural: isPlural(text), file: name });
          start++;
        }
    }
    return { entries: strings, total: start };
  }
}
