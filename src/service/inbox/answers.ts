/** The latest comments on the strings of a Hive that come after those of others: who is told of them. */
import type { StringAddress } from "../../domain/move.ts";
import { noThread, type Comment } from "../../domain/notes/thread.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";

/** A comment after comments of others on its string. */
export interface Answer extends StringAddress {
  readonly comment: Comment & { readonly at: string };
  /** Who had said something about the string before. */
  readonly heard: ReadonlySet<string>;
}

/** The answers since a time, the newest first. Notes that cannot be read have none. @param since ISO 8601, UTC. */
export async function answersSince(
  { index: { source }, values }: Snapshot,
  since: string,
): Promise<readonly Answer[]> {
  const { files } = await values.notes.readable();
  const answers: Answer[] = [];
  for (const [file, strings] of source) {
    const here = files.get(file);
    if (here === undefined) continue;
    const texts = translatableTexts(strings);
    for (const [key, { thread = noThread }] of here) {
      if (isStepDone()) await pause();
      if (thread.length < 2 || !texts.has(key)) continue;
      const heard = new Set<string>();
      for (const { at, ...comment } of thread) {
        if (at !== undefined && at >= since && heard.size > 0)
          answers.push({ file, key, comment: { ...comment, at }, heard: new Set(heard) });
        if (comment.by !== undefined) heard.add(comment.by);
      }
    }
  }
  return answers.toSorted((one, other) => (one.comment.at < other.comment.at ? 1 : -1));
}
