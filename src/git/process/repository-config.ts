/**
 * Finds unsafe git configuration in a repository. A Hive's folder may come from another person, or others may push into
 * it: its files must not make git run programs as the server's user, or read other repositories.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isSkepError, failure } from "../../domain/errors.ts";
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

/** The name of a setting. Section and key are in lower case, as git ignores their case; a subsection is as written. */
interface SettingName {
  readonly section: string;
  /** Empty when there is none. */
  readonly subsection: string;
  readonly key: string;
}

const header = /^\[([A-Za-z0-9-]+)(?:\.([A-Za-z0-9.-]+)|[ \t]+"((?:[^"\\]|\\.)*)")?\](.*)$/;
const setting = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=.*)?$/;

/**
 * The names of all settings of a file, in its order.
 * @throws SkepError `malformed`, with the number of the line, for anything that git might read differently: a
 * continuation line, a control character, or an unknown form.
 */
export function parseSettingNames(text: string): readonly SettingName[] {
  const names: SettingName[] = [];
  let section: Omit<SettingName, "key"> | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const unclear = (): Error => failure("malformed", `line ${i + 1} cannot be read`);
    // oxlint-disable-next-line no-control-regex -- control characters are refused
    if (/[\u0000-\u0008\u000b-\u001f\u007f]|\\$/.test(line)) throw unclear();
    let rest = line.replace(/^[ \t]+/, "");
    for (let match = header.exec(rest); match !== null; match = header.exec(rest)) {
      const [, name = "", dotted, quoted = "", after = ""] = match;
      // Git compares the older form, with a dot, in lower case.
      const subsection = dotted?.toLowerCase() ?? quoted.replaceAll(/\\(.)/g, "$1");
      section = { section: name.toLowerCase(), subsection };
      rest = after.replace(/^[ \t]+/, "");
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const [, key] = setting.exec(rest) ?? [];
    if (section === undefined || key === undefined) throw unclear();
    names.push({ ...section, key: key.toLowerCase() });
  }
  return names;
}

/** A setting's name as git writes it. */
export function formatSettingName({ section, subsection, key }: SettingName): string {
  return [section, ...(subsection === "" ? [] : [subsection]), key].join(".");
}

/** Sections whose settings never make git run a program, or use a file or repository outside. */
const harmlessSections = new Set(
  (
    "advice author branch color commit committer daemon fetch gc gitweb i18n init log maintenance notes " +
    "pack pull push receive repack status tag transfer user"
  ).split(" "),
);

/** Single settings that are as harmless. `core.hooksPath` is overruled whenever Skep starts git. */
const harmlessSettings = new Set(
  (
    "core.abbrev core.autocrlf core.bare core.bigfilethreshold core.commitgraph core.compression " +
    "core.deltabasecachelimit core.eol core.filemode core.fsync core.fsyncmethod core.fsyncobjectfiles " +
    "core.hidedotfiles core.hookspath core.ignorecase core.logallrefupdates core.longpaths " +
    "core.loosecompression core.multipackindex core.packedgitlimit core.packedgitwindowsize " +
    "core.precomposeunicode core.protecthfs core.protectntfs core.quotepath " +
    "core.repositoryformatversion core.safecrlf core.sharedrepository core.symlinks " +
    "core.warnambiguousrefs http.getanyfile http.receivepack http.uploadpack"
  ).split(" "),
);

/** Settings of a remote that only matter to a person who pushes or fetches by hand. */
const harmlessOfRemotes = new Set(
  "fetch mirror prune prunetags push pushurl skipdefaultupdate skipfetchall tagopt url".split(" "),
);

/** Names of remotes that cannot be the address of a mirror: git would use the settings of a remote named like one. */
const remoteName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Whether git may be started for Skep in a repository that has a setting, whatever its value. */
function isHarmless({ section, subsection, key }: SettingName): boolean {
  if (section === "remote") return remoteName.test(subsection) && harmlessOfRemotes.has(key);
  // Some versions of git use this setting from any file.
  if (section === "uploadpack") return key !== "packobjectshook";
  if (harmlessSections.has(section)) return true;
  return subsection === "" && harmlessSettings.has(`${section}.${key}`);
}
