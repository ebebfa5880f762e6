/** Creates the repository of a new Hive. */
import type { CommitMetadata } from "../../domain/commits/commit-message.ts";
import { hiveReadme, readmePath } from "../../domain/hives/hive-readme.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { formatHiveSettings } from "../settings/hive-settings-file.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { toCommit, toGitObject } from "../../git/objects/git-object.ts";
import { commitFields } from "./hive.ts";
import { settingsPath } from "../content/snapshot.ts";
import { changeTree, emptyTree } from "../../git/objects/tree.ts";

export interface FirstCommit {
  readonly settings: HiveSettings;
  readonly metadata: CommitMetadata;
  /** In seconds since 1970. */
  readonly now: number;
}

/** Creates a repository with a first commit, durably. */
export async function initHive(
  fs: DurableFs,
  gitdir: string,
  { settings, metadata, now }: FirstCommit,
): Promise<void> {
  const repo = await BareRepo.init(fs, gitdir);
  const blob = toGitObject("blob", formatHiveSettings(settings));
  const readme = toGitObject("blob", hiveReadme);
  const paths = new Map([
    [settingsPath, blob.oid],
    [readmePath, readme.oid],
  ]);
  const { tree, objects } = changeTree(emptyTree, paths);
  const commit = toCommit({ ...commitFields(metadata), tree: tree.oid, parents: [], time: now });
  const prepare = (): Promise<void> => repo.writeObjects([blob, readme, ...objects, commit]);
  await repo.main.update({ expected: undefined, next: commit.oid, prepare });
}
