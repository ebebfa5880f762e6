/** Brings the settings files of earlier versions of Skep to the present format. */
import { dirname, join } from "node:path";
import { failure } from "../../domain/errors.ts";
import { readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { mapInGroups } from "../../slices.ts";
import type { SettingsVersion } from "../settings/settings-version.ts";
import { formatOf, settingsFormat, toPresentFormat } from "../settings/stored-settings.ts";
import { findStoredFiles, type FoundFile } from "./stored-files.ts";

/** What was rewritten. */
export interface Migration {
  readonly count: number;
  /** The folder in which the files are as they were. */
  readonly kept: string;
}

/** States are replaced all the time, under other locks, and may be lost. They are read in each format. */
const states = new Set<string>(["mirror-states", "webhook-states", "sessions"]);

/**
 * Rewrites the settings files that have an earlier format, and keeps them as they were in a folder of the storage.
 * Files that cannot be read are left alone: whoever needs one is told. Nothing is read where all files have the present
 * format.
 * @throws SkepError `conflict` when a file is changed meanwhile by a process that does not use the lock.
 */
export async function migrateSettings(
  fs: DurableFs,
  root: string,
  version: SettingsVersion,
): Promise<Migration> {
  const kept = join(root, `before-format-${settingsFormat}`);
  if (version.format >= settingsFormat) return { count: 0, kept };
  return version.hold(async (lock) => {
    const found = await findStoredFiles(fs, root);
    const outdated = found.flatMap((each) => toPresent(fs, root, each) ?? []);
    await lock.assertHeld();
    await version.begin();
    const folders = new Set(outdated.map(({ path }) => dirname(join(kept, path))));
    for (const folder of folders) await fs.makeFolder(folder);
    await mapInGroups(outdated, ({ path }) => fs.keep(join(root, path), join(kept, path)));
    for (const folder of folders) await fs.syncFolder(folder);
    await mapInGroups(outdated, ({ path, before, after }) =>
      fs.write(join(root, path), after, {
        assertHeld: async () => {
          if (readTextNow(fs.disk, join(root, path)) !== before) throw changed(path);
        },
      }),
    );
    await version.renew(settingsFormat);
    return { count: outdated.length, kept };
  });
}

interface OutdatedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function toPresent(fs: DurableFs, root: string, { path, file }: FoundFile): OutdatedFile | undefined {
  const before = readTextNow(fs.disk, join(root, path));
  if (file === undefined || before === undefined || states.has(file.kind)) return undefined;
  try {
    file.parse(before);
    if (formatOf(before) >= settingsFormat) return undefined;
    return { path, before, after: toPresentFormat(file.kind, before) };
  } catch {
    return undefined;
  }
}

function changed(path: string): Error {
  const advice = "stop all servers and commands on this storage, and start again";
  return failure("conflict", `${path} was changed while it was brought to another format: ${advice}.`);
}
