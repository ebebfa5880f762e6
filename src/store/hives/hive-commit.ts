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
import type { ReviewWrite } from "../../domain/review/review.ts";
import { formatGroup, type StringFile } from "../../domain/strings/string-file.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import { toCommit, toGitObject, type CommitInfo, type GitObject } from "../../git/objects/git-object.ts";
import { changeTree, emptyTree } from "../../git/objects/tree.ts";
import { formatOverview, HiveCache } from "../content/hive-cache.ts";
import { blobPath, type WrittenFile } from "../content/locale-files.ts";
import { settingsPath } from "../content/snapshot.ts";
import { acceptedFolder, markersPath, reviewFolder, staleFolder } from "../content/stored-files.ts";
import { notesPath, type NotesWrite } from "../content/stored-notes.ts";
import type { PicturesWrite } from "../content/stored-pictures.ts";
import type { RecordedOverview } from "../record/record.ts";
import { formatHiveSettings } from "../settings/hive-settings-file.ts";

export interface HiveChange<Metadata = CommitMetadata> {
  readonly metadata: Metadata;
  readonly writes?: readonly FileWrite[];
  readonly staleMarkers?: readonly FileWrite[];
  readonly accepted?: readonly FileWrite[];
  readonly notes?: readonly NotesWrite[];
  readonly pictures?: PicturesWrite;
  /** The glossary and styles by their paths: a text, or undefined to remove the file. Only on main. */
  readonly texts?: ReadonlyMap<string, string | undefined>;
  readonly review?: readonly ReviewWrite[];
  /** Only on main, whose settings hold for all branches. */
  readonly settings?: HiveSettings;
  /** The commits that a merge brings in; then there is a commit even if nothing changes. */
  readonly parents?: readonly Oid[];
  /** Objects of a push that the commit needs, and the files that they bring. */
  readonly quarantined?: QuarantinedObjects;
}

/** Whether a change writes notes at most. */
export function writesOnlyNotes({
  writes,
  staleMarkers,
  accepted,
  review,
  ...change
}: HiveChange<unknown>): boolean {
  const isEmpty = [writes, staleMarkers, accepted, review].every((files = []) => files.length === 0);
  return (
    isEmpty &&
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
  staleMarkers = [],
  accepted = [],
  notes = [],
  pictures,
  texts = new Map(),
  review = [],
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
  const markers = { [staleFolder]: staleMarkers, [acceptedFolder]: accepted };
  for (const folder of [staleFolder, acceptedFolder] as const) {
    for (const { locale, file, content } of markers[folder]) {
      put(markersPath(folder, locale, file), await toJson(content));
    }
  }
  for (const { file, text } of notes) {
    await pause();
    put(notesPath(file), text);
  }
  for (const [path, oid] of pictures?.images ?? []) paths.set(path, oid);
  blobs.push(...(pictures?.objects ?? []));
  for (const [path, text] of [...texts, ...(pictures?.texts ?? [])]) put(path, text);
  for (const { locale, file, json } of review) put(markersPath(reviewFolder, locale, file), json);
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
