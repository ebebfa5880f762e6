/**
 * Finds unsafe git configuration in a repository. A Hive's folder may come from another person, or others may push into
 * it: its files must not make git run programs as the server's user, or read other repositories.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isSkepError } from "../../domain/errors.ts";
import { formatSettingName, isHarmless, parseSettingNames } from "./git-config.ts";
import { isSystemError } from "../../disk/disk.ts";

/**
 * The parts of a repository's configuration that are not known to be harmless: names of settings, and files. They are
 * read each time that git is started, and from the real disk, because that is what git reads.
 * @throws the system's error when the disk fails.
 */
export function unsafeConfiguration(gitdir: string): readonly string[] {
  const found = new Set(foreignSettings(readText(join(gitdir, "config")) ?? ""));
  // This file says that the configuration, objects and refs are in another folder.
  if (existsSync(join(gitdir, "commondir"))) found.add("the file commondir");
  // An older form of remotes. Git would use one that is named like the address of a mirror.
  for (const folder of ["remotes", "branches"]) {
    for (const name of listFolder(join(gitdir, folder))) {
      if (name.includes(":")) found.add(`the file ${folder}/${name}`);
    }
  }
  return [...found];
}

function foreignSettings(text: string): readonly string[] {
  try {
    return parseSettingNames(text)
      .filter((name) => !isHarmless(name))
      .map(formatSettingName);
  } catch (error) {
    if (!isSkepError(error)) throw error;
    return [`the file config, of which ${error.message}`];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
