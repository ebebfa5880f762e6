/** The terms and the styles of a Hive at one commit, read on demand. */
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { styleProblem } from "../../domain/glossary/style.ts";
import { termSchema } from "../../domain/glossary/term-schema.ts";
import { noTerms, type Glossary, maxGlossaryBytes, maxTerms, type Term } from "../../domain/glossary/term.ts";
import { type LocaleCode, isStoredLocaleCode } from "../../domain/hives/locale.ts";
import type { Oid } from "../../domain/names.ts";
import { toContentInvalid, UnreadablePath } from "../../git/bare-repo.ts";
import { emptyTree, fileIn, folderAt, type Tree } from "../../git/objects/tree.ts";
import { pause } from "../../slices.ts";
import { decode } from "./locale-files.ts";
import { decode as decodeMembers, encode } from "../../domain/json-codec.ts";
import { parseStoredJson } from "../../domain/json.ts";
import type { CommittedTree } from "./stored-values.ts";
import { moduleCache } from "../../module-caches.ts";

/** The folder of the styles in a Hive's repository. */
export const styleFolder = "style";

/** The path of a locale's style in the repository. */
export function stylePath(locale: LocaleCode): string {
  return `${styleFolder}/${locale}.md`;
}

/** Glossaries by their blobs, which several commits and Hives share. A glossary counts as large as its blob. */
const known = moduleCache(new LRUCache<Oid, Glossary>({ maxSize: 33_554_432 }));

export class StoredGlossary {
  readonly #source: CommittedTree;
  readonly #styles: Tree;
  constructor(source: CommittedTree) {
    this.#source = source;
    this.#styles = folderAt(source.tree, [styleFolder]) ?? emptyTree;
  }

  /** Identifies the terms: as long as it is the same, they are. */
  get version(): string {
    return fileIn(this.#source.tree, glossaryPath) ?? "";
  }

  /** @throws SkepError `content-invalid` when they cannot be read. */
  async terms(): Promise<Glossary> {
    const oid = fileIn(this.#source.tree, glossaryPath);
    if (oid === undefined) return noTerms;
    const before = known.get(oid);
    if (before !== undefined) return before;
    return this.#read(oid, glossaryPath, async (bytes) => {
      const terms = await parseGlossary(bytes);
      known.set(oid, terms, { size: Math.max(1, bytes.byteLength) });
      return terms;
    });
  }

  /** Identifies the style of a locale: as long as it is the same, the style is. */
  styleVersion(locale: LocaleCode): string {
    return fileIn(this.#styles, `${locale}.md`) ?? "";
  }

  /** The locales that have a style; those that are not the Hive's, too. */
  get styles(): readonly string[] {
    return Array.from(this.#styles.entries.keys(), (name) => name.replace(/\.md$/, ""));
  }

  /** The style of a locale; empty where there is none. @throws SkepError `content-invalid` when it cannot be read. */
  async style(locale: LocaleCode): Promise<string> {
    const oid = fileIn(this.#styles, `${locale}.md`);
    if (oid === undefined) return "";
    return this.#read(oid, stylePath(locale), (bytes) => {
      const text = decode(bytes);
      const problem = styleProblem(text);
      if (problem !== undefined) throw new Error(problem);
      return text.trim();
    });
  }

  async #read<T>(oid: Oid, path: string, parse: (bytes: Uint8Array) => T | Promise<T>): Promise<T> {
    const { repo, commit } = this.#source;
    try {
      return await parse(await repo.readBlob(oid, path));
    } catch (cause) {
      const problem = cause instanceof UnreadablePath ? cause : new UnreadablePath(path, { cause });
      throw toContentInvalid(commit, problem);
    }
  }
}

/** The path of the terms in the repository. */
export const glossaryPath = "glossary.json";

const termsPerStep = 500;

const storedGlossary = z.strictObject({ terms: z.array(z.unknown()).max(maxTerms) });

/**
 * Reads `glossary.json`.
 * @throws Error when it is not a glossary.
 */
export async function parseGlossary(bytes: Uint8Array): Promise<Glossary> {
  if (bytes.byteLength > maxGlossaryBytes) throw new Error(`${glossaryPath} is too large`);
  await pause();
  const { terms } = storedGlossary.parse(parseStoredJson(bytes));
  const all: Term[] = [];
  for (const [i, term] of terms.entries()) {
    if (i % termsPerStep === 0) await pause();
    all.push(toTerm(term));
  }
  return all;
}

/** @throws Error when it is no term. */
function toTerm(stored: unknown): Term {
  const { translations, ...term } = decodeMembers(termSchema, termSchema.parse(stored));
  const wrong = Object.keys(translations).find((code) => !isStoredLocaleCode(code));
  if (wrong !== undefined) throw new TypeError(`${wrong} is no locale`);
  return { ...term, translations: new Map(Object.entries(translations)) };
}

/** The same terms make the same bytes: members that are as if they were not given are left out. */
export function formatGlossary(terms: Glossary): string {
  const members = terms.map((term) => encode(termSchema, term));
  return `${JSON.stringify({ terms: members }, null, 2)}\n`;
}
