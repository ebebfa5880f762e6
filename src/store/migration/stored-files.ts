/** All settings files of a storage: where they are, whose they are, and how they are read. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { settingsFolders } from "../../disk/storage-folder.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import {
  isFollowerName,
  isHiveSlug,
  isTeamName,
  isTokenId,
  type HiveSlug,
  type TeamName,
} from "../../domain/names.ts";
import { parseFollower } from "../replication/follower-files.ts";
import { parseReplication } from "../replication/replication-state.ts";
import { parseMirrors, parseStates } from "../settings/mirror-files.ts";
import { parsePublication, parsePublicationFile } from "../settings/publication-file.ts";
import { parseTeam, parseToken } from "../settings/settings-files.ts";
import type { SettingsKind } from "../settings/stored-settings.ts";
import { parseWebhooks, parseWebhookStates } from "../settings/webhook-files.ts";

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
  folder: (typeof settingsFolders)[number],
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

const patterns: readonly Pattern[] = [
  named("teams", ".yaml", isTeamName, (team) => ({ kind: "team", parse: (text) => parseTeam(team, text) })),
  named("tokens", ".yaml", isTokenId, (id) => ({ kind: "token", parse: (text) => parseToken(id, text) })),
  named("mirrors", ".yaml", isHiveSlug, (slug) => ({ kind: "mirrors", slug, parse: parseMirrors })),
  named("mirrors", ".state.yaml", isHiveSlug, (slug) => ({
    kind: "mirror-states",
    slug,
    parse: parseStates,
  })),
  {
    folder: "channels",
    match: (file) => {
      const name = parsePublicationFile(file);
      return name && { kind: "channels", slug: name.slug, parse: (text) => parsePublication(name, text) };
    },
  },
  named("webhooks", ".yaml", isTeamName, (team) => ({ kind: "webhooks", team, parse: parseWebhooks })),
  named("webhooks", ".state.yaml", isHiveSlug, (slug) => ({
    kind: "webhook-states",
    slug,
    parse: parseWebhookStates,
  })),
  named("followers", ".yaml", isFollowerName, () => ({ kind: "follower", parse: parseFollower })),
];
const replication: StoredFile = { kind: "replication", parse: parseReplication };

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
