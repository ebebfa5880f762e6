/** All settings files of a storage: where they are, whose they are, and how they are read. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { settingsFolders } from "../../disk/storage-folder.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import {
  isFollowerName,
  isPersonId,
  isTeamName,
  isTokenId,
  type HiveSlug,
  type TeamName,
} from "../../domain/names.ts";
import { followerForm } from "../replication/follower-files.ts";
import { replicationForm } from "../replication/replication-state.ts";
import type { ListPlace } from "../settings/list-files.ts";
import { mirrorLists, mirrorStates } from "../settings/mirrors.ts";
import { parsePerson, sessionLists } from "../settings/people-files.ts";
import { parsePublication, parsePublicationFile } from "../settings/publications.ts";
import { parseTeam, parseToken } from "../settings/settings-files.ts";
import type { SettingsKind } from "../settings/stored-settings.ts";
import { webhookLists, webhookStates } from "../settings/webhooks.ts";

/** What the name of a settings file says. */
export interface StoredFile {
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
  readonly match: (name: string) => StoredFile | undefined;
}

function named<N extends string>(
  folder: string,
  ending: string,
  isName: (text: string) => text is N,
  toFile: (name: N) => StoredFile,
): Pattern {
  const match = (name: string): StoredFile | undefined => {
    const stem = name.slice(0, -ending.length);
    return name.endsWith(ending) && isName(stem) ? toFile(stem) : undefined;
  };
  return { folder, match };
}

function list<N extends string, T>(
  kind: SettingsKind,
  { folder, ending, isName, form }: ListPlace<N, T>,
  ownerOf: (name: N) => Pick<StoredFile, "slug" | "team">,
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
  {
    folder: "channels",
    match: (file) => {
      const name = parsePublicationFile(file);
      return name && { kind: "channels", slug: name.slug, parse: (text) => parsePublication(name, text) };
    },
  },
  list("webhooks", webhookLists, (team) => ({ team })),
  list("webhook-states", webhookStates, (slug) => ({ slug })),
  named("followers", ".yaml", isFollowerName, () => ({ kind: "follower", parse: followerForm.parse })),
];
const replication: StoredFile = { kind: "replication", parse: replicationForm.parse };

/** A file that was found in a folder of settings. */
export interface FoundFile {
  /** In the storage. */
  readonly path: string;
  /** Undefined for one that is none of Skep's. */
  readonly file: StoredFile | undefined;
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
  const hasReplication = (await fs.stat(join(root, "replication.yaml"))) !== undefined;
  return hasReplication ? [...found, { path: "replication.yaml", file: replication }] : found;
}
