/** What a merge changes beside the texts: the values of every kind, as changes that are listed with those of texts. */
import type { AlignedSides } from "../moves/alignment.ts";
import type { FileName } from "../names.ts";
import { notesIn, valuesIn, type HiveState } from "../notes/hive-state.ts";
import { changedMembers } from "../notes/merge-notes.ts";
import { isSame } from "../notes/note-changes.ts";
import type { Notes, StoredMember } from "../notes/note.ts";
import { isSameThread } from "../notes/thread.ts";
import { isSamePicture, movedPictures } from "../pictures/picture-strings.ts";
import type { Picture, Pictures } from "../pictures/picture.ts";
import { acceptedKind, type AcceptedChecks } from "../sidecars/accepted.ts";
import { differingKeys, movedInLocales, movedValues, type ValueChange } from "../sidecars/sidecar.ts";
import { translationAt } from "../strings/content-diff.ts";
import type { SourceFiles, TextAddress } from "../strings/hive-content.ts";
import { translatableTexts, type StringFile } from "../strings/string-file.ts";
import { pause } from "../../slices.ts";
import type { MergedTranslations } from "./merge-translations.ts";

/**
 * A change beside a text. `confirmed` is a stale translation that was found to be right still, `outdated` one that is stale
 * again, `approved` one that waited for a review, `waiting` one that waits for one again, `accepted` a finding that counts as a false alarm, `withdrawn` one that
 * does no more; `note` is a change of the team's note, `app_note` of what the app says, `comments` of what people say to each
 * other, `picture` of a picture, which has the address of its first string.
 */
export interface ChangeBeside extends Pick<TextAddress, "locale" | "key"> {
  /** Of a picture it may be a pattern, as its key. */
  readonly file: string;
  readonly change:
    | "confirmed"
    | "outdated"
    | "approved"
    | "waiting"
    | "accepted"
    | "withdrawn"
    | "note"
    | "app_note"
    | "comments"
    | "picture";
  /** Of a `note`. */
  readonly member?: StoredMember;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What a merge makes of the values beside texts. */
export interface MergedValues {
  readonly translations: Pick<MergedTranslations, (typeof ofTranslations)[number]>;
  readonly notes: Notes;
  readonly values: readonly ValueChange[];
  readonly pictures: Pictures;
  /** The source files that it changes. */
  readonly files: ReadonlyMap<FileName, StringFile | undefined>;
}

const ofTranslations = ["confirmed", "outdated", "approved", "waiting"] as const;

/**
 * The changes of a merge beside the texts, in the order of the kinds.
 * @param ours our side before it.
 * @param aligned the sides with the same names for the same strings.
 */
export async function changesBeside(
  ours: HiveState,
  aligned: AlignedSides,
  { translations, notes, values, pictures, files }: MergedValues,
): Promise<readonly ChangeBeside[]> {
  const locale = ours.content.settings.sourceLocale.code;
  const { moves, addresses, content } = aligned.ours;
  const picturesBefore = await movedPictures(ours.pictures ?? new Map(), moves, content.source);
  const source = new Map(content.source);
  for (const [file, after] of files) {
    if (after === undefined) source.delete(file);
    else source.set(file, after);
  }
  const inNotes = { before: movedValues(notesIn(ours), addresses), after: notes, source };
  return [
    ...ofTranslations.flatMap((change) => translations[change].map((one) => ({ ...one, change }))),
    ...(await acceptances(ours, aligned, values, source)),
    ...[...(await changedNotes(inNotes)), ...changedPictures(picturesBefore, pictures)].map((one) =>
      Object.assign(one, { locale }),
    ),
  ];
}

async function acceptances(
  ours: HiveState,
  aligned: AlignedSides,
  values: readonly ValueChange[],
  source: SourceFiles,
): Promise<readonly ChangeBeside[]> {
  const merged = values.find((one): one is ValueChange<AcceptedChecks> => one.kind === acceptedKind);
  if (merged === undefined) return [];
  const before = movedInLocales(valuesIn(ours).of(acceptedKind), aligned.ours.addresses);
  const changes: ChangeBeside[] = [];
  for (const [locale, files] of merged.change(before)) {
    for (const [file, after] of files) {
      await pause();
      const was = before.get(locale)?.get(file);
      const texts = translatableTexts(source.get(file));
      for (const key of differingKeys(acceptedKind, was, after)) {
        if (!texts.has(key)) continue;
        const former = was?.get(key);
        const isMore = Array.from(after.get(key) ?? []).some(([check, hash]) => former?.get(check) !== hash);
        const text = translationAt(aligned.theirs.content, locale, file, key);
        const change = isMore ? "accepted" : "withdrawn";
        changes.push({ change, locale, file, key, before: text, after: text });
      }
    }
  }
  return changes;
}

interface ComparedNotes {
  readonly before: Notes;
  readonly after: Notes;
  readonly source: SourceFiles;
}

/** What the team says, member by member, what the app says, and what people say to each other. */
async function changedNotes({
  before,
  after,
  source,
}: ComparedNotes): Promise<readonly Omit<ChangeBeside, "locale">[]> {
  const changes: Omit<ChangeBeside, "locale">[] = [];
  for (const [file, notes] of after) {
    await pause();
    const was = before.get(file);
    for (const key of translatableTexts(source.get(file)).keys()) {
      const [from, to] = [was?.get(key), notes.get(key)];
      if (from === to) continue;
      for (const member of changedMembers(from, to)) changes.push({ change: "note", file, key, ...member });
      if (!isSame(from?.app, to?.app))
        changes.push({ change: "app_note", file, key, before: from?.app?.note, after: to?.app?.note });
      if (!isSameThread(from?.thread, to?.thread)) changes.push({ change: "comments", file, key });
    }
  }
  return changes;
}

function changedPictures(before: Pictures, after: Pictures): readonly Omit<ChangeBeside, "locale">[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((hash) => {
    const [was, is] = [before.get(hash), after.get(hash)];
    if (isSamePicture(was, is)) return [];
    const [file = "", key = ""] = firstString(is ?? was);
    return [{ change: "picture" as const, file, key, before: was?.name, after: is?.name }];
  });
}

/** The pattern of a picture's first string; a file has no colon in its name. */
function firstString(picture: Picture | undefined): readonly string[] {
  const pattern = picture?.strings[0] ?? "";
  const colon = pattern.indexOf(":");
  return [pattern.slice(0, colon), pattern.slice(colon + 1)];
}
