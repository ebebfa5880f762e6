/** The terms and the styles of a Hive at one commit, read on demand. */
import { LRUCache } from "lru-cache";
import { styleProblem } from "../../domain/glossary/style.ts";
import { noTerms, type Glossary } from "../../domain/glossary/term.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import { toContentInvalid, UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, fileIn, folderAt, type Tree } from "../../git/objects/tree.ts";
import { inSlices } from "../../slices.ts";
import { glossaryPath, parseGlossary } from "./glossary-file.ts";
import { decode } from "./locale-files.ts";

/** The folder of the styles in a Hive's repository. */
export const styleFolder = "style";

/** The path of a locale's style in the repository. */
export function stylePath(locale: LocaleCode): string {
  return `${styleFolder}/${locale}.md`;
}

/** Glossaries by their blobs, which several commits and Hives share. A glossary counts as large as its blob. */
const known = new LRUCache<Oid, Glossary>({ maxSize: 33_554_432 });

export class StoredGlossary {
  readonly #repo: BareRepo;
  /** Named where something cannot be read. */
  readonly #commit: Oid;
  readonly #tree: Tree;

  constructor({
    repo,
    commit,
    tree,
  }: {
    readonly repo: BareRepo;
    readonly commit: Oid;
    readonly tree: Tree;
  }) {
    this.#repo = repo;
    this.#commit = commit;
    this.#tree = tree;
  }

  /** Identifies the terms: as long as it is the same, they are. */
  get version(): string {
    return fileIn(this.#tree, glossaryPath) ?? "";
  }

  /** @throws SkepError `content-invalid` when they cannot be read. */
  async terms(): Promise<Glossary> {
    const oid = fileIn(this.#tree, glossaryPath);
    if (oid === undefined) return noTerms;
    const before = known.get(oid);
    if (before !== undefined) return before;
    return this.#read(oid, glossaryPath, async (bytes) => {
      const terms = await inSlices(parseGlossary(bytes));
      known.set(oid, terms, { size: Math.max(1, bytes.byteLength) });
      return terms;
    });
  }

  /** Identifies the style of a locale: as long as it is the same, the style is. */
  styleVersion(locale: LocaleCode): string {
    return fileIn(folderAt(this.#tree, [styleFolder]) ?? emptyTree, `${locale}.md`) ?? "";
  }

  /** The locales that have a style; those that are not the Hive's, too. */
  get styles(): readonly string[] {
    const files = folderAt(this.#tree, [styleFolder])?.entries.keys() ?? [];
    return Array.from(files, (name) => name.replace(/\.md$/, ""));
  }

  /** The style of a locale; empty where there is none. @throws SkepError `content-invalid` when it cannot be read. */
  async style(locale: LocaleCode): Promise<string> {
    const oid = fileIn(folderAt(this.#tree, [styleFolder]) ?? emptyTree, `${locale}.md`);
    if (oid === undefined) return "";
    return this.#read(oid, stylePath(locale), (bytes) => {
      const text = decode(bytes);
      const problem = styleProblem(text);
      if (problem !== undefined) throw new Error(problem);
      return text.trim();
    });
  }

  async #read<T>(oid: Oid, path: string, parse: (bytes: Uint8Array) => T | Promise<T>): Promise<T> {
    try {
      const bytes = await this.#repo.readBlob(oid, path);
      return await parse(bytes);
    } catch (cause) {
      if (cause instanceof UnreadablePath) throw toContentInvalid(this.#commit, cause);
      throw toContentInvalid(this.#commit, new UnreadablePath(path, { cause }));
    }
  }
}
