/** Sets tags of many strings, or takes them away, as one commit. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { StringAddress } from "../../domain/move.ts";
import { isFileName } from "../../domain/names.ts";
import { noteLimits, shownNote, type Notes, type TeamNoteChange } from "../../domain/notes/note.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { plainForm, type Seen, type SeenString } from "../../domain/work/work.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import type { Caller } from "../access.ts";
import { changeNotes } from "../content/notes.ts";
import type { ContentStorage } from "../storage.ts";
import { withAbilities } from "./open-queue.ts";

export interface TagRequest {
  /** Of a plural string, all forms are tagged. */
  readonly items: readonly SeenString[];
  readonly tags: readonly string[];
  readonly change: "tag" | "untag";
}

export interface TaggedStrings {
  /**
   * How many strings stay as they are: their source text is another by now, or they have too many tags, or theirs are
   * the app's.
   */
  readonly left: number;
}

/**
 * Changes the team's tags of strings, as one commit; what is not as it was seen stays.
 * @throws SkepError `forbidden` when the caller lacks `write`, or is limited to some locales; `content-invalid` when notes
 * cannot be read.
 */
export async function tagStrings(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  request: TagRequest,
  context: WriteContext,
): Promise<CommitResult<TaggedStrings>> {
  const authorised = withAbilities(storage, caller, branch, context, new Set(["write"]));
  let left = 0;
  const done = await changeNotes(
    storage,
    branch,
    (content) => {
      // A write may begin again.
      left = 0;
      const files = new Map<string, Map<string, TeamNoteChange>>();
      for (const item of request.items) {
        const changes = changesOf(content, item, request);
        if (changes === undefined) left++;
        else files.set(item.file, new Map([...(files.get(item.file) ?? []), ...changes]));
      }
      return { files };
    },
    authorised,
  );
  return { ...done, result: { left } };
}

/** The changes by the keys of a string; undefined where it stays as it is. */
function changesOf(
  { notes, source }: { readonly notes: Notes; readonly source: SourceFiles },
  { file, key, expected }: SeenString,
  { tags, change }: TagRequest,
): ReadonlyMap<string, TeamNoteChange> | undefined {
  if (!isFileName(file)) return undefined;
  const changes = new Map<string, TeamNoteChange>();
  for (const one of keysOf(source, { file, key }, expected)) {
    const note = withTags(notes, { file, key: one }, tags, change);
    if (note === undefined) return undefined;
    changes.set(one, note);
  }
  return changes.size === 0 ? undefined : changes;
}

/** The keys of a string that has the source text that was seen; of a plural those of its forms in the source. */
function keysOf(source: SourceFiles, { file, key }: StringAddress, expected: Seen): readonly string[] {
  const strings = source.get(file);
  const texts = translatableTexts(strings);
  const text = texts.get(key);
  if (text === undefined || !expected.isSource(plainForm, text)) return [];
  const form = strings?.plurals?.formOf(key);
  return form === undefined ? [key] : [...form.string.own].filter((one) => texts.has(one));
}

/** The team's tags of a string; undefined where they cannot be so. */
function withTags(
  notes: Notes,
  { file, key }: StringAddress,
  tags: readonly string[],
  change: TagRequest["change"],
): TeamNoteChange | undefined {
  const note = notes.get(file)?.get(key);
  const own = note?.team?.tags ?? [];
  if (change === "tag") {
    const known = new Set(note === undefined ? [] : shownNote(note).tags);
    const more = [...own, ...tags.filter((tag) => !known.has(tag))];
    return more.length > noteLimits.tags ? undefined : more.length === 0 ? {} : { tags: more };
  }
  // What the app says of a string comes again with its next push.
  if (tags.some((tag) => note?.app?.tags?.includes(tag) === true)) return undefined;
  const rest = own.filter((tag) => !tags.includes(tag));
  return { tags: rest.length === 0 ? null : rest };
}
