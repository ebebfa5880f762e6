/** Brings the files of a clone of a Hive into the form in which Skep stores them. */
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { failure, invalid, isSkepError, Issues } from "../../domain/errors.ts";
import { localesOf, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { isFileName, storedEnding, storedPath, type FileName } from "../../domain/names.ts";
import { readPushedFile, unknownTranslations } from "../../domain/pushes/pushed-file.ts";
import { finish } from "../../domain/steps.ts";
import { canonicalSource, canonicalTranslations } from "../../domain/strings/canonical.ts";
import type { StringFile } from "../../domain/strings/string-file.ts";
import { isSystemError } from "../../disk/disk.ts";
import { parseHiveSettings } from "../../store/settings/hive-settings-file.ts";

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

interface LocaleFile {
  readonly path: string;
  readonly locale: LocaleCode;
  readonly file: FileName;
}

const settingsFile = "hive.yaml";
const localesFolder = "locales";

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
  const { root, settings } = await findClone(folder);
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
    const read = bytes && finish(readPushedFile({ path: shown, bytes }, true, issues));
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
    const read = isSource ? source : finish(readPushedFile({ path: shown, bytes }, false, issues));
    if (read === undefined || issues.count > before) continue;
    if (!isSource) {
      const beside = { locale, plurals: settings.plurals, source };
      unknownTranslations({ path: shown, bytes }, read, beside, issues);
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

function problemsOf(issues: Issues): readonly string[] {
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

async function findClone(
  folder: string,
): Promise<{ readonly root: string; readonly settings: HiveSettings }> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const bytes = await readPlainFile(join(at, settingsFile));
    if (bytes !== undefined)
      return { root: at, settings: parseHiveSettings(new TextDecoder().decode(bytes)) };
    if (dirname(at) === at) {
      throw failure(
        "not-found",
        "This is no clone of a Hive: there is no hive.yaml in this folder or above it.",
      );
    }
  }
}

/** All files of the locales that the Hive has, in the order of their paths. Folders that are links become issues. */
async function allFiles(
  root: string,
  settings: HiveSettings,
  issues: Issues,
): Promise<readonly LocaleFile[]> {
  const found: LocaleFile[] = [];
  for (const { code } of localesOf(settings)) {
    const folder = join(root, localesFolder, code);
    if (await isBehindLink(join(folder, "any"), root)) {
      issues.add(`${localesFolder}/${code}`, "is a symbolic link, or lies behind one");
      continue;
    }
    const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isSystemError(error, "ENOENT", "ENOTDIR")) return [];
      throw error;
    });
    for (const entry of names) {
      if (entry.isDirectory()) continue;
      const path = join(entry.parentPath, entry.name);
      found.push(localeFileAt(root, settings, path, path));
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** @throws SkepError `invalid` */
function localeFileAt(root: string, settings: HiveSettings, path: string, shown: string): LocaleFile {
  const [first, locale, ...rest] = relative(root, path).split(sep);
  const stored = rest.join("/");
  const file = stored.endsWith(storedEnding) ? stored.slice(0, -storedEnding.length) : "";
  const found = localesOf(settings).find(({ code }) => code === locale);
  if (first !== localesFolder || found === undefined || !isFileName(file)) {
    throw invalid(shown, "is not a file of a locale of this Hive");
  }
  return { path, locale: found.code, file };
}

/**
 * A file's content; undefined where there is none, or a folder or a link, which are not followed.
 * @param root the folder below which no folder of the path may be a link.
 */
async function readPlainFile(path: string, root = dirname(path)): Promise<Uint8Array | undefined> {
  const isPlain = (await lstatIfAny(path))?.isFile() === true && !(await isBehindLink(path, root));
  return isPlain ? readFile(path) : undefined;
}

/** Whether a folder of a path below a root is a symbolic link, which may lead out of the clone. */
async function isBehindLink(path: string, root: string): Promise<boolean> {
  for (let at = dirname(path); at !== root; at = dirname(at)) {
    if ((await lstatIfAny(at))?.isSymbolicLink() === true) return true;
  }
  return false;
}

async function lstatIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
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
