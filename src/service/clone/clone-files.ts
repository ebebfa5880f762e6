/** The files of a clone of a Hive, none of them behind a symbolic link. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { invalid, type Issues } from "../../domain/errors.ts";
import { localesOf, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { isFileName, storedEnding, type FileName } from "../../domain/names.ts";
import { unlessMissing } from "../../disk/disk.ts";
import { parseHiveSettings } from "../../store/settings/hive-settings-file.ts";

export interface LocaleFile {
  readonly path: string;
  readonly locale: LocaleCode;
  readonly file: FileName;
}

const settingsFile = "hive.yaml";
export const localesFolder = "locales";

export interface Clone {
  readonly root: string;
  readonly settings: HiveSettings;
}

/** The clone that a folder is in; undefined if it is in none. */
export async function findClone(folder: string): Promise<Clone | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const bytes = await readPlainFile(join(at, settingsFile));
    if (bytes !== undefined)
      return { root: at, settings: parseHiveSettings(new TextDecoder().decode(bytes)) };
    if (dirname(at) === at) return undefined;
  }
}

/** All files of the locales that the Hive has, in the order of their paths. Folders that are links become issues. */
export async function allFiles(
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
    const names = await unlessMissing(readdir(folder, { recursive: true, withFileTypes: true }));
    for (const entry of names ?? []) {
      if (entry.isDirectory()) continue;
      const path = join(entry.parentPath, entry.name);
      found.push(localeFileAt(root, settings, path, path));
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The file of a locale at a path. @throws SkepError `invalid` for any other. */
export function localeFileAt(root: string, settings: HiveSettings, path: string, shown: string): LocaleFile {
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
export async function readPlainFile(path: string, root = dirname(path)): Promise<Uint8Array | undefined> {
  const isPlain = (await unlessMissing(lstat(path)))?.isFile() === true && !(await isBehindLink(path, root));
  return isPlain ? readFile(path) : undefined;
}

/** Whether a folder of a path below a root is a symbolic link, which may lead out of the clone. */
async function isBehindLink(path: string, root: string): Promise<boolean> {
  for (let at = dirname(path); at !== root; at = dirname(at)) {
    if ((await unlessMissing(lstat(at)))?.isSymbolicLink() === true) return true;
  }
  return false;
}
