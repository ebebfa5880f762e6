/** Moves of strings: the moves that a push finds, and `skep move`. */
import { AddressMap } from "../domain/move.ts";
import { detectMoves } from "../domain/moves/detection.ts";
import { isFileName, type FileName } from "../domain/names.ts";
import type { Texts } from "../domain/strings/string-file.ts";
import { ClientError } from "./api/client-error.ts";
import { knownPlace, likeKnown, toNamedPlace } from "./places.ts";
import type { HiveTexts } from "./api/hive-api.ts";
import type { StringMove } from "./api/schemas.ts";
import type { MovesResult } from "./api/string-answers.ts";
import { findCommitRef } from "./repository/commit-ref.ts";
import type { HiveReport, Project } from "./project.ts";
import type { FileReport } from "./push-report.ts";
import { addressOf, type TextChange } from "./texts.ts";

/** The moves from one state of some files to another, as the server finds them. */
export async function movesBetween(before: HiveTexts, after: HiveTexts): Promise<readonly StringMove[]> {
  return (await detectMoves(toFiles(before), toFiles(after))).moves;
}

function toFiles(texts: HiveTexts): ReadonlyMap<FileName, { readonly texts: Texts }> {
  return new Map(
    Array.from(texts).flatMap(([name, own]) => (isFileName(name) ? [[name, { texts: own }]] : [])),
  );
}

/**
 * The files that were renamed: that no pattern finds any more, while each of their strings has come elsewhere. These a
 * push can remove, since nothing is deleted with them.
 * @param missing files of the Hive that no pattern finds.
 */
export async function renamedFiles(
  missing: readonly string[],
  hive: HiveTexts,
  sources: HiveTexts,
): Promise<readonly string[]> {
  if (missing.length === 0) return [];
  const left = new AddressMap<true>();
  for (const { from } of await movesBetween(hive, sources)) {
    if (isFileName(from.file)) left.set({ file: from.file, key: from.key }, true);
  }
  return missing.filter(
    (name) =>
      isFileName(name) && left.of(name).size === (hive.get(name)?.size ?? 0) && left.of(name).size > 0,
  );
}

/** The changes without the moves: a string that was moved is neither created nor deleted. */
export function withoutMoves(
  files: readonly FileReport[],
  moves: readonly StringMove[],
): readonly FileReport[] {
  if (moves.length === 0) return files;
  const gone = new Map<string, string | null>();
  for (const { file, changes } of files) {
    for (const { key, before, after } of changes)
      if (after === null) gone.set(addressOf({ file, key }), before);
  }
  const left = new Set(moves.map(({ from }) => addressOf(from)));
  const origins = new Map(moves.map(({ from, to }) => [addressOf(to), addressOf(from)]));
  return files.map((report) => {
    const changes = report.changes.flatMap((change): TextChange[] => {
      const name = addressOf({ file: report.file, key: change.key });
      if (change.after === null) return left.has(name) ? [] : [change];
      const origin = origins.get(name);
      const before = origin === undefined ? undefined : gone.get(origin);
      if (before === undefined) return [change];
      return before === change.after ? [] : [{ ...change, before }];
    });
    return { ...report, changes };
  });
}

export interface MoveOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
}

export interface MoveReport extends HiveReport {
  /** The commit that the Hive is at afterwards. */
  readonly commit: string;
  readonly dryRun: boolean;
  readonly result: MovesResult;
}

/**
 * Moves a string, a group or a file of the Hive.
 * @throws ClientError `misuse` when only one of the two places has a key.
 */
export async function move(project: Project, { from, to, dryRun }: MoveOptions): Promise<MoveReport> {
  const [named, target] = [toNamedPlace(from), toNamedPlace(to)];
  if ((named.key === undefined) !== (target.key === undefined)) {
    const problem = "Give either two files, or two keys with their files, such as auth.json:failed.";
    throw new ClientError("misuse", problem);
  }
  const ref = await findCommitRef(project.config.folder, project.context.environment);
  const known = await knownPlace(project.hive, named);
  const key = target.key && likeKnown(target.key, known.key ?? "", named.key ?? "");
  const params = [{ from: known, to: { ...target, key } }];
  const { data: result, commit } = await project.hive.move(params, { dryRun, ref });
  return { ...project.hiveAndBranch, commit, dryRun, result };
}
