/**
 * `skep push --base`: sends what the app changed since one of its own commits. What the files held then is read from the
 * app's git, and not from the Hive: a state of the Hive also has what other branches pushed into it.
 */
import { noTexts, type Group } from "../domain/strings/string-file.ts";
import { counted } from "../domain/text.ts";
import { ClientError } from "./api/client-error.ts";
import type { HiveLocales, HiveTexts } from "./api/hive-api.ts";
import type { SentFiles, SentNotes } from "./api/write-options.ts";
import { conflictLine, earlierSources } from "./earlier.ts";
import type { CommandContext } from "./context.ts";
import { isSameNotes, toSentNotes, type FileNotes } from "./notes.ts";
import type { Project } from "./project.ts";
import type { FileReport, SourceFile } from "./push-report.ts";
import { findAppBranch } from "./repository/app-branch.ts";
import { ancestors, forkPoint, mergeBase, requireHistory, shallowHint } from "./repository/commits.ts";
import { changesOf, textsOf } from "./texts.ts";

/** The changes of the source files since a commit of the app. */
export interface ChangesSince {
  readonly commit: string;
  /** The files that changed, as they are now; one that is gone is empty. */
  readonly files: SentFiles;
  readonly base: SentFiles;
  /** What the files that changed say about their texts, and what they said. */
  readonly notes: SentNotes;
  readonly baseNotes: SentNotes;
  readonly changed: readonly FileReport[];
}

/**
 * Compares the source files with the source files of an earlier commit.
 * @param ref the commit, or the branch from which HEAD comes; if not given, the last commit of this branch whose files
 * were pushed into the Hive, or at which it left the default branch.
 * @throws ClientError `misuse` when there is no such commit; `error` when git or a file of the commit cannot be read.
 */
export async function changesSince(
  project: Project,
  ref: string | undefined,
  locales: HiveLocales,
  sources: readonly SourceFile[],
): Promise<ChangesSince> {
  const { folder } = project.config;
  const commit = ref === undefined ? await requireLastPushed(project) : await mergeBase(folder, ref);
  const earlier = await earlierSources(project, commit, locales);
  const now = new Map(sources.map((source) => [source.file.name, source]));
  const changed: FileReport[] = [];
  const files: [string, Group][] = [];
  const base: [string, Group][] = [];
  const notes: [string, FileNotes][] = [];
  const baseNotes: [string, FileNotes][] = [];
  for (const name of new Set([...now.keys(), ...earlier.keys()])) {
    const [before, after] = [earlier.get(name), now.get(name)];
    if (!isSameNotes(before?.notes, after?.read.notes)) {
      notes.push([name, after?.read.notes ?? new Map()]);
      baseNotes.push([name, before?.notes ?? new Map()]);
    }
    const changes = changesOf(textsOf(before?.content ?? {}), after?.texts ?? noTexts);
    if (changes.length === 0) continue;
    const { source } = after?.file ?? {};
    changed.push({
      file: name,
      path: source?.path ?? null,
      changes,
      nonTextValues: after?.read.nonTextValues ?? [],
    });
    files.push([name, after?.read.content ?? {}]);
    if (before !== undefined) base.push([name, before.content]);
  }
  return {
    commit,
    files: Object.fromEntries(files),
    base: Object.fromEntries(base),
    notes: toSentNotes(notes),
    baseNotes: toSentNotes(baseNotes),
    changed,
  };
}

/** Leaves out changes that the Hive has already. @param hive its texts; undefined if the token cannot read them. */
export function withoutPresent(
  changed: readonly FileReport[],
  hive: HiveTexts | undefined,
): readonly FileReport[] {
  if (hive === undefined) return changed;
  return changed.map((report) => {
    const present = hive.get(report.file);
    const changes = report.changes.filter(({ key, after }) => (present?.get(key) ?? null) !== after);
    return { ...report, changes };
  });
}

async function requireLastPushed(project: Project): Promise<string> {
  const { hive, config } = project;
  await requireHistory(config.folder, "--base");
  const found = await lastPushed(project);
  if (found !== undefined) return found;
  const problem =
    `Nothing in the history of this branch has been pushed into ${hive.slug}. ` +
    "Push the branch that it comes from first, without --base, or give --base the commit whose texts the Hive has.";
  throw new ClientError("misuse", problem + (await shallowHint(config.folder)));
}

/**
 * The last commit of this branch from which a push made a commit of the Hive. Where there is none, as when the first push
 * was made from commits that were squashed since, it is the commit at which the branch left the default branch.
 * @returns undefined where there is neither.
 * @throws ClientError `error` when the folder is in no git repository, or the repository has no commit.
 */
export async function lastPushed({
  hive,
  context: { environment },
  config: { folder, defaultBranch },
}: Project): Promise<string | undefined> {
  const { own, all } = await ancestors(folder);
  let merged: string | undefined;
  for await (const ref of hive.history.syncedRefs()) {
    if (own.has(ref)) return ref;
    if (all.has(ref)) merged ??= ref;
  }
  const { main } = await findAppBranch(folder, environment);
  const names = [defaultBranch, main, "main", "master"].filter((name) => name !== undefined);
  return merged ?? (await forkPoint(folder, names));
}

/**
 * Explains a push that the Hive refused because others changed the same keys: key by key with both texts.
 * @throws ClientError `conflict` for such a push.
 */
export function explainConflicts(
  thrown: unknown,
  { commit, changed }: ChangesSince,
  hive: HiveTexts | undefined,
  context: CommandContext,
): void {
  if (!(thrown instanceof ClientError) || thrown.code !== "base_conflict") return;
  const here = (file: string, key: string): string | null | undefined =>
    changed.find((each) => each.file === file)?.changes.find((change) => change.key === key)?.after;
  const { keys, total } = thrown.conflicts ?? { keys: [], total: 0 };
  for (const { file, key } of keys) {
    context.warn(conflictLine({ file, key }, here(file, key), hive?.get(file)?.get(key)));
  }
  if (total > keys.length) context.warn(`and ${total - keys.length} more`);
  const problem =
    `${counted(total, "string")} changed both here and in the Hive since ${commit.slice(0, 7)}, so nothing was sent. ` +
    "Bring the app's files and the Hive together there, and push again.";
  throw new ClientError("conflict", problem, { cause: thrown, code: thrown.code, status: thrown.status });
}
