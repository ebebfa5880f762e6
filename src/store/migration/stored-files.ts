/** All settings files of a storage: where they are, whose they are, and how they are read and migrated. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { settingsFolders } from "../../disk/storage-folder.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { isPersonId, isTeamName, isTokenId, type HiveSlug, type TeamName } from "../../domain/names.ts";
import type { ListPlace } from "../settings/list-files.ts";
import { mirrorLists, mirrorStates } from "../settings/mirrors.ts";
import { parsePerson, sessionLists } from "../settings/people-files.ts";
import { parsePublicationName, publicationPlace } from "../settings/publications.ts";
import { parseTeam, parseToken } from "../settings/settings-files.ts";
import { type SettingsKind, formatOf, settingsFormat, toPresentFormat } from "../settings/stored-settings.ts";
import { engineLists } from "../settings/engines.ts";
import { webhookLists, webhookStates } from "../settings/webhooks.ts";
import { failure } from "../../domain/errors.ts";
import { readTextNow } from "../../disk/disk.ts";
import { mapInGroups } from "../../slices.ts";
import type { SettingsVersion } from "../settings/settings-version.ts";

/** What the name of a settings file says. */
export interface SettingsFile {
  readonly kind: SettingsKind;
  /** The Hive or the team that it belongs to, where verification has to know. */
  readonly slug?: HiveSlug;
  readonly team?: TeamName;
  /** @throws InvalidSettings when it cannot be read. */
  readonly parse: (text: string) => unknown;
}

interface Pattern {
  readonly folder: string;
  /** Undefined for a name that no file of this kind has. */
  readonly match: (name: string) => SettingsFile | undefined;
}

function named<N extends string>(
  folder: string,
  ending: string,
  isName: (text: string) => text is N,
  toFile: (name: N) => SettingsFile,
): Pattern {
  const match = (name: string): SettingsFile | undefined => {
    const stem = name.slice(0, -ending.length);
    return name.endsWith(ending) && isName(stem) ? toFile(stem) : undefined;
  };
  return { folder, match };
}

function list<N extends string, T>(
  kind: SettingsKind,
  { folder, ending, isName, form }: ListPlace<N, T>,
  ownerOf: (name: N) => Pick<SettingsFile, "slug" | "team">,
): Pattern {
  return named(folder, ending, isName, (name) => ({ kind, ...ownerOf(name), parse: form.parse }));
}

const patterns: readonly Pattern[] = [
  named("teams", ".yaml", isTeamName, (team) => ({ kind: "team", parse: (text) => parseTeam(team, text) })),
  named("tokens", ".yaml", isTokenId, (id) => ({ kind: "token", parse: (text) => parseToken(id, text) })),
  named("people", ".yaml", isPersonId, (id) => ({ kind: "person", parse: (text) => parsePerson(id, text) })),
  list("sessions", sessionLists, () => ({})),
  list("mirrors", mirrorLists, (slug) => ({ slug })),
  list("mirror-states", mirrorStates, (slug) => ({ slug })),
  named("channels", ".yaml", publicationPlace.isName, (name) => ({
    kind: "channels",
    slug: parsePublicationName(name)?.slug,
    parse: (text) => publicationPlace.parse(name, text),
  })),
  list("webhooks", webhookLists, (team) => ({ team })),
  list("engines", engineLists, (team) => ({ team })),
  list("webhook-states", webhookStates, (slug) => ({ slug })),
];

export interface FoundFile {
  /** In the storage. */
  readonly path: string;
  /** Undefined for one that is none of Skep's. */
  readonly file: SettingsFile | undefined;
}

/** The settings files of a storage. */
export async function findStoredFiles(fs: DurableFs, root: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const folder of settingsFolders) {
    const matching = patterns.filter((pattern) => pattern.folder === folder);
    for (const name of await fs.list(join(root, folder))) {
      if (isTemporary(name)) continue;
      const [file] = matching.flatMap(({ match }) => match(name) ?? []);
      found.push({ path: `${folder}/${name}`, file });
    }
  }
  return found;
}

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
    await mapInGroups(outdated, async ({ path }) => {
      // A migration that was cut off has kept it already.
      const isKept = (await fs.stat(join(kept, path))) !== undefined;
      if (!isKept) await fs.copyFile(join(root, path), join(kept, path));
    });
    await mapInGroups(outdated, ({ path, before, after }) =>
      fs.write(join(root, path), after, {
        assertHeld: async () => {
          if (readTextNow(fs.disk, join(root, path)) !== before) throw changed(path);
        },
        advance: (change) => change(),
        lose: () => {},
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
