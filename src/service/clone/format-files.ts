/** Brings the files of a clone of a Hive into the form in which Skep stores them. */
import { randomBytes } from "node:crypto";
import { lstat, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { failure, isSkepError, Issues } from "../../domain/errors.ts";
import { storedPath, type FileName } from "../../domain/names.ts";
import { readPushedFile, unknownTranslations } from "../../domain/pushes/pushed-file.ts";
import { canonicalSource, canonicalTranslations } from "../../domain/strings/canonical.ts";
import type { StringFile } from "../../domain/strings/string-file.ts";
import { allFiles, findClone, localeFileAt, localesFolder, readPlainFile } from "./clone-files.ts";

export interface FormatRequest {
  /** The current folder, in the clone. */
  readonly folder: string;
  /** Files, relative to it; all of the clone if there are none. */
  readonly files: readonly string[];
  /** Whether nothing is to be written. */
  readonly check: boolean;
  /** Whether git commits CRLF as LF, so that files may have either (`core.autocrlf`). */
  readonly mayHaveCrlf?: boolean;
}

/** Paths are relative to the current folder. */
export interface FormatReport {
  /** Files that were, or would be, written in another form. */
  readonly changed: readonly string[];
  /** Files that were, or would be, removed because they hold no text. */
  readonly removed: readonly string[];
  /** What is wrong with files that are left as they are, with their places. */
  readonly problems: readonly string[];
}

/**
 * Formats files. One with a fault is left as it is, so that no text is lost; the others are written, each at once.
 * @throws SkepError `not-found` outside of a clone; `invalid` on a path that is not a locale file of it.
 */
export async function formatFiles({
  folder,
  files,
  check,
  mayHaveCrlf = false,
}: FormatRequest): Promise<FormatReport> {
  const clone = await findClone(folder);
  if (clone === undefined) {
    const problem = "This is no clone of a Hive: there is no hive.yaml in this folder or above it.";
    throw failure("not-found", problem);
  }
  const { root, settings } = clone;
  const issues = new Issues();
  const wanted =
    files.length === 0
      ? await allFiles(root, settings, issues)
      : files.map((path) => localeFileAt(root, settings, resolve(folder, path), path));
  const sources = new Map<FileName, StringFile | undefined>();
  const [changed, removed]: [string[], string[]] = [[], []];
  const readSource = async (file: FileName): Promise<StringFile | undefined> => {
    if (sources.has(file)) return sources.get(file);
    const path = join(root, localesFolder, settings.sourceLocale.code, storedPath(file));
    const bytes = await readPlainFile(path, root);
    const shown = relative(folder, path);
    const read = bytes && (await readPushedFile({ path: shown, bytes }, true, issues));
    sources.set(file, read);
    return read;
  };
  for (const { path, locale, file } of wanted) {
    const shown = relative(folder, path);
    const before = issues.count;
    const bytes = await readPlainFile(path, root);
    if (bytes === undefined) {
      issues.add(shown, "is not a plain file, or lies behind a symbolic link");
      continue;
    }
    const isSource = locale === settings.sourceLocale.code;
    const source = await readSource(file);
    const read = isSource ? source : await readPushedFile({ path: shown, bytes }, false, issues);
    if (read === undefined || issues.count > before) continue;
    if (!isSource) {
      const context = { locale, settings, source };
      unknownTranslations({ path: shown, bytes }, read, context, issues);
      if (issues.count > before) continue;
    }
    const text = isSource ? canonicalSource(read) : canonicalTranslations(read, source);
    if (text === undefined) {
      removed.push(shown);
      if (!check) await rm(path);
    } else if (!Buffer.from(text).equals(mayHaveCrlf ? withoutCr(bytes) : bytes)) {
      changed.push(shown);
      if (!check) await replace(path, text);
    }
  }
  return { changed, removed, problems: problemsOf(issues) };
}

function withoutCr(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

export function problemsOf(issues: Issues): readonly string[] {
  try {
    issues.throwIfAny();
    return [];
  } catch (error) {
    if (!isSkepError(error) || error.data === undefined || !("issues" in error.data)) throw error;
    const listed = error.data.issues.map(({ message }) => message);
    const left = issues.count - listed.length;
    return left > 0 ? [...listed, `and ${left} more`] : listed;
  }
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx", mode: (await lstat(path)).mode });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
