/** Makes the git objects of a commit of a Hive. */
import type { DurableFs } from "../../disk/durable-fs.ts";
import {
  formatCommitMessage,
  skepCommitter,
  type CommitMetadata,
} from "../../domain/commits/commit-message.ts";
import { hiveReadme, readmePath } from "../../domain/hives/hive-readme.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import { pause } from "../../slices.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { formatValues, valuesPath, type ValueWrite } from "../../domain/sidecars/sidecar.ts";
import { formatGroup, type StringFile } from "../../domain/strings/string-file.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import { toCommit, toGitObject, type CommitInfo, type GitObject } from "../../git/objects/git-object.ts";
import { changeTree, emptyTree } from "../../git/objects/tree.ts";
import { formatOverview, HiveCache } from "../content/hive-cache.ts";
import { blobPath, type WrittenFile } from "../content/locale-files.ts";
import { settingsPath } from "../content/snapshot.ts";
import type { PicturesWrite } from "../content/stored-pictures.ts";
import type { RecordedOverview } from "../record/record.ts";
import { formatHiveSettings } from "../settings/hive-settings-file.ts";

export interface HiveChange<Metadata = CommitMetadata> {
  readonly metadata: Metadata;
  readonly writes?: readonly FileWrite[];
  /** Values beside texts and strings. */
  readonly values?: readonly ValueWrite[];
  readonly pictures?: PicturesWrite;
  /** The glossary and styles by their paths: a text, or undefined to remove the file. Only on main. */
  readonly texts?: ReadonlyMap<string, string | undefined>;
  /** Only on main, whose settings hold for all branches. */
  readonly settings?: HiveSettings;
  /** The commits that a merge brings in; then there is a commit even if nothing changes. */
  readonly parents?: readonly Oid[];
  /** Objects of a push that the commit needs, and the files that they bring. */
  readonly quarantined?: QuarantinedObjects;
}

/** A change without its values of strings, such as notes. */
export function withoutValuesOfStrings<T>(change: HiveChange<T>): HiveChange<T> {
  return { ...change, values: change.values?.filter(({ kind }) => kind.by !== "string") };
}

/** Whether a change writes nothing but some values. */
export function writesOnly(
  some: readonly ValueWrite[],
  { writes = [], values = [], ...change }: HiveChange<unknown>,
): boolean {
  return (
    writes.length === 0 &&
    values.every((write) => some.includes(write)) &&
    (change.texts ?? change.pictures ?? change.settings ?? change.parents ?? change.quarantined) === undefined
  );
}

/** Pushed objects that are still in quarantine and belong to a commit. */
interface QuarantinedObjects {
  /** Files beside the writes of the change: path → blob, or undefined to remove the file. */
  readonly files: ReadonlyMap<string, Oid | undefined>;
  /** Copies the objects into the repository durably. */
  readonly migrate: () => Promise<void>;
}

/** Files of a commit by their paths; undefined for those that it removes. */
export type ChangedPaths = Map<string, Oid | undefined>;

interface Blobs {
  readonly blobs: readonly GitObject[];
  readonly paths: ChangedPaths;
  readonly files: ReadonlyMap<Oid, WrittenFile>;
}

async function toJson(file: StringFile | undefined): Promise<string | undefined> {
  await pause();
  const group = file?.group;
  await pause();
  const json = group && formatGroup(group);
  await pause();
  return json;
}

/** The blobs of a change, their paths, and the files they hold. */
export async function toBlobs({
  writes = [],
  values = [],
  pictures,
  texts = new Map(),
  settings,
  quarantined,
}: HiveChange): Promise<Blobs> {
  const blobs: GitObject[] = [];
  const paths: ChangedPaths = new Map(quarantined?.files);
  const files = new Map<Oid, WrittenFile>();
  const put = (path: string, text: string | undefined): GitObject | undefined => {
    const blob = text === undefined ? undefined : toGitObject("blob", text);
    if (blob !== undefined) blobs.push(blob);
    paths.set(path, blob?.oid);
    return blob;
  };
  for (const { locale, file, content } of writes) {
    const blob = put(blobPath(locale, file), await toJson(content));
    if (content && blob) files.set(blob.oid, { content, bytes: blob.bytes.byteLength });
  }
  for (const write of values) {
    put(valuesPath(write.kind, write.locale, write.file), await formatValues(write.kind, write.values));
  }
  for (const [path, oid] of pictures?.images ?? []) paths.set(path, oid);
  blobs.push(...(pictures?.objects ?? []));
  for (const [path, text] of [...texts, ...(pictures?.texts ?? [])]) put(path, text);
  if (settings !== undefined) put(settingsPath, formatHiveSettings(settings));
  return { blobs, paths, files };
}

/** Makes a commit by Skep: its fields, and its git object. */
export function buildCommit({
  metadata,
  ...fields
}: Omit<CommitInfo, "oid"> & { readonly metadata: CommitMetadata }): {
  readonly commit: CommitInfo;
  readonly object: GitObject;
} {
  const { author } = metadata;
  const message = formatCommitMessage(metadata);
  const object = toCommit({ ...fields, author, committer: skepCommitter, message });
  return { commit: { ...fields, oid: object.oid }, object };
}

interface FirstCommit {
  readonly settings: HiveSettings;
  readonly metadata: CommitMetadata;
  /** In seconds since 1970. */
  readonly now: number;
}

/** Creates a repository with a first commit, durably. @returns the overview for the record. */
export async function initHive(
  fs: DurableFs,
  gitdir: string,
  { settings, metadata, now }: FirstCommit,
): Promise<RecordedOverview> {
  const repo = await BareRepo.init(fs, gitdir);
  const file = toGitObject("blob", formatHiveSettings(settings));
  const readme = toGitObject("blob", hiveReadme);
  const paths = new Map([
    [settingsPath, file.oid],
    [readmePath, readme.oid],
  ]);
  const { tree, objects } = changeTree(emptyTree, paths);
  const { commit, object } = buildCommit({ metadata, tree: tree.oid, parents: [], time: now });
  const prepare = (): Promise<void> => repo.writeObjects([file, readme, ...objects, object]);
  await repo.main.update({ expected: undefined, next: commit.oid, prepare });
  // So that a list of very many Hives opens no repository.
  const overview = { settings, stringCount: 0, translatableCount: 0 };
  await new HiveCache(fs, gitdir).keepOverview(commit.oid, overview);
  return { strings: 0, overview: formatOverview(overview) };
}
