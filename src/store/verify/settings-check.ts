/** Finds problems in the settings files of a storage. */
import { join } from "node:path";
import { readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { invalidFile } from "../../disk/watched-file.ts";
import type { Team } from "../../domain/access/team.ts";
import type { StorageFault } from "./storage-fault.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { findStoredFiles, type FoundFile } from "../migration/stored-files.ts";
import type { SettingsKind } from "../settings/stored-settings.ts";

export interface SettingsCheckOptions {
  readonly fs: DurableFs;
  readonly root: string;
  readonly teams: readonly Team[] | undefined;
  /** Removes the files of a kind that a Hive left, under its lock. */
  readonly forget: Partial<Record<SettingsKind, (slug: HiveSlug, lock: HeldLock) => Promise<void>>>;
  readonly lockHive: <T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>) => Promise<T>;
}

/** Files that cannot be read, that belong to no Hive or team, or that are none of Skep's. */
export async function checkSettingsFiles(options: SettingsCheckOptions): Promise<readonly StorageFault[]> {
  const found = await findStoredFiles(options.fs, options.root);
  return [...found.flatMap((each) => checkFile(options, each)), ...findSecondChannels(found)];
}

function checkFile(
  { fs, root, teams, forget, lockHive }: SettingsCheckOptions,
  { path, file }: FoundFile,
): readonly StorageFault[] {
  if (file === undefined) return [{ problem: `${path} is not a settings file` }];
  const findings: StorageFault[] = [];
  const { kind, slug, team } = file;
  if (slug !== undefined && teams?.every(({ hives }) => !hives.includes(slug)) === true) {
    const remove = forget[kind];
    const repair = (): Promise<string> =>
      lockHive(slug, async (lock) => {
        await remove?.(slug, lock);
        return "removed it";
      });
    findings.push({ problem: `${path} belongs to no Hive`, ...(remove && { repair }) });
  }
  if (team !== undefined && teams?.every(({ name }) => name !== team) === true) {
    findings.push({ problem: `${path} belongs to no team` });
  }
  try {
    const text = readTextNow(fs.disk, join(root, path));
    if (text !== undefined) file.parse(text);
  } catch (error) {
    findings.push({ problem: invalidFile(path, error).message });
  }
  return findings;
}

/** All channels of a Hive are in one file, `<slug>.<id>.yaml`; another one with the same slug is a problem. */
function findSecondChannels(found: readonly FoundFile[]): readonly StorageFault[] {
  const seen = new Set<HiveSlug>();
  return found.flatMap(({ path, file }) => {
    const slug = file?.kind === "channels" ? file.slug : undefined;
    if (slug === undefined) return [];
    const isSecond = seen.has(slug);
    seen.add(slug);
    return isSecond ? [{ problem: `${path} is one of two for the Hive ${slug}` }] : [];
  });
}
