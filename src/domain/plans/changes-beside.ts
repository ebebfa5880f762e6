/** What a merge or an undo changes beside the texts: the values of every kind, listed with the changes of texts. */
import type { AlignedSides } from "../moves/alignment.ts";
import type { FileName } from "../names.ts";
import { notesIn, valuesIn, type HiveState } from "../notes/hive-state.ts";
import { changedMembers } from "../notes/merge-notes.ts";
import { withoutPlaces } from "../notes/note-changes.ts";
import type { Notes, StoredMember, TeamNote } from "../notes/note.ts";
import { isSameThread } from "../notes/thread.ts";
import { isSamePicture, movedPictures } from "../pictures/picture-strings.ts";
import type { Picture, Pictures } from "../pictures/picture.ts";
import { acceptedKind, type AcceptedChecks } from "../sidecars/accepted.ts";
import { differingKeys, movedInLocales, movedValues, type ValueChange } from "../sidecars/sidecar.ts";
import { translationAt } from "../strings/content-diff.ts";
import type { changesBesideTexts } from "../commits/change-kinds.ts";
import type { KeyChange, SourceFiles, TextAddress } from "../strings/hive-content.ts";
import { translatableTexts, type StringFile } from "../strings/string-file.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { MergedTranslations } from "./merge-translations.ts";
import { placeOf } from "./settlement.ts";

/**
 * A change beside a text. `confirmed` is a stale translation that was found to be right still, `outdated` one that is stale
 * again, `approved` one that waited for a review, `waiting` one that waits for one again, `accepted` a finding that counts as
 * a false alarm, `withdrawn` one that does no more; `note` is a change of the team's note, `app_note` of what the app says of
 * a string that was there before, `comments` of what people say to each other, `picture` of a picture, which has the address
 * of its first string.
 */
export interface ChangeBeside extends Pick<TextAddress, "locale" | "key"> {
  /** Of a picture it may be a pattern, as its key. */
  readonly file: string;
  readonly change: (typeof changesBesideTexts)[number];
  /** Of a `note` and an `app_note`. */
  readonly member?: StoredMember;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What a merge or an undo makes of the values beside texts. */
export interface MergedValues {
  readonly translations: Pick<MergedTranslations, (typeof ofTranslations)[number]>;
  readonly notes: Notes;
  readonly values: readonly ValueChange[];
  readonly pictures: Pictures;
  /** The changes of texts. */
  readonly changes: readonly KeyChange[];
  /** The source files that it changes. */
  readonly files: ReadonlyMap<FileName, StringFile | undefined>;
}

const ofTranslations = ["confirmed", "outdated", "approved", "waiting"] as const;

/**
 * The changes of a merge or an undo beside the texts, in the order of the kinds. It goes through all values again, which
 * only lists and previews need.
 * @param ours our side before it.
 * @param aligned the sides with the same names for the same strings.
 */
export async function changesBeside(
  ours: HiveState,
  aligned: AlignedSides,
  { translations, notes, values, pictures, changes, files }: MergedValues,
): Promise<readonly ChangeBeside[]> {
  const locale = ours.content.settings.sourceLocale.code;
  const { moves, addresses, content } = aligned.ours;
  const picturesBefore = await movedPictures(ours.pictures ?? new Map(), moves, content.source);
  const source = new Map(content.source);
  for (const [file, after] of files) {
    if (after === undefined) source.delete(file);
    else source.set(file, after);
  }
  const inNotes = {
    before: movedValues(notesIn(ours), addresses),
    after: notes,
    sourceBefore: content.source,
    source,
  };
  return [
    ...ofTranslations.flatMap((change) => translations[change].map((one) => ({ ...one, change }))),
    ...(await acceptances(ours, aligned, { values, source, changes })),
    ...[...(await changedNotes(inNotes)), ...changedPictures(picturesBefore, pictures)].map((one) =>
      Object.assign(one, { locale }),
    ),
  ];
}

async function acceptances(
  ours: HiveState,
  aligned: AlignedSides,
  merge: Pick<MergedValues, "values" | "changes"> & { readonly source: SourceFiles },
): Promise<readonly ChangeBeside[]> {
  const merged = merge.values.find((one): one is ValueChange<AcceptedChecks> => one.kind === acceptedKind);
  if (merged === undefined) return [];
  const before = movedInLocales(valuesIn(ours).of(acceptedKind), aligned.ours.addresses);
  const textAfter = new Map(merge.changes.map((one) => [placeOf(one), one.after]));
  const changes: ChangeBeside[] = [];
  for (const [locale, files] of merged.change(before)) {
    for (const [file, after] of files) {
      await pause();
      const was = before.get(locale)?.get(file);
      const texts = translatableTexts(merge.source.get(file));
      for (const key of differingKeys(acceptedKind, was, after)) {
        if (isStepDone()) await pause();
        if (!texts.has(key)) continue;
        const former = was?.get(key);
        const isMore = Array.from(after.get(key) ?? []).some(([check, hash]) => former?.get(check) !== hash);
        const place = placeOf({ locale, file, key });
        const text = textAfter.has(place)
          ? textAfter.get(place)
          : translationAt(aligned.ours.content, locale, file, key);
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
  readonly sourceBefore: SourceFiles;
  readonly source: SourceFiles;
}

/** What the team and the app say, member by member, and what people say to each other. */
async function changedNotes({
  before,
  after,
  sourceBefore,
  source,
}: ComparedNotes): Promise<readonly Omit<ChangeBeside, "locale">[]> {
  const changes: Omit<ChangeBeside, "locale">[] = [];
  for (const [file, notes] of after) {
    await pause();
    const was = before.get(file);
    const textsBefore = translatableTexts(sourceBefore.get(file));
    for (const key of translatableTexts(source.get(file)).keys()) {
      if (isStepDone()) await pause();
      const [from, to] = [was?.get(key), notes.get(key)];
      if (from === to) continue;
      const add = (change: "note" | "app_note", [a, b]: readonly (TeamNote | undefined)[]): void =>
        changedMembers(a, b).forEach((member) => changes.push({ change, file, key, ...member }));
      add("note", [from?.team, to?.team]);
      // A new string comes with what the app says of it.
      if (textsBefore.has(key)) add("app_note", [withoutPlaces(from)?.app, withoutPlaces(to)?.app]);
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
