/**
 * What a repository's own files tell git to do. A Hive's folder may come from another person, or be pushed into by
 * others: what it says must not run programs as the user of the server, nor have git read other repositories.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isSkepError } from "../../domain/errors.ts";
import { formatSettingName, isHarmless, parseSettingNames } from "./git-config.ts";
import { isSystemError } from "../../disk/disk.ts";

/**
 * What of a repository's configuration is not known to be harmless, each in a few words: settings by their names, and
 * files. It is read from the real disk, the only one that git sees, and each time that git is started.
 * @throws the system's error when the disk fails.
 */
export function unsafeConfiguration(gitdir: string): readonly string[] {
  const found = new Set(foreignSettings(readText(join(gitdir, "config")) ?? ""));
  // It says that the configuration, objects and references are in another folder.
  if (existsSync(join(gitdir, "commondir"))) found.add("the file commondir");
  // The older form of remotes. One that is named like the address of a mirror would be taken for it.
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
