/** Reads the form that changes what the team says about a string. */
import { jsonOrUndefined } from "../../../domain/json.ts";
import { teamNoteChangeSchema, teamNoteSchema } from "../../../domain/notes/note-schema.ts";
import type { TeamNoteChange } from "../../../domain/notes/note.ts";
import { check } from "../../schemas/schemas.ts";
import { isFailure } from "../../../domain/errors.ts";
import { changeNotes } from "../../../service/content/notes.ts";
import type { Form } from "../requests/form.ts";
import { problemsOf, type FormState } from "../requests/form-state.ts";
import type { NoticeName } from "../requests/notices.ts";
import type { HiveFormRequest } from "../requests/page.ts";

/** A note that was refused, as the user wrote it. */
export interface RefusedNote {
  readonly state: FormState;
  readonly reason: string;
}

/** What became of a form: a notice, or the form again. */
type SavedNote = { readonly notice: NoticeName } | { readonly note: RefusedNote; readonly status: number };

/** Changes what the team says about a string. @throws what a change of notes throws, but for what the user can mend. */
export async function saveNote(
  { storage, branch, form, context }: HiveFormRequest,
  { file, key }: { readonly file: string; readonly key: string },
): Promise<SavedNote> {
  const state = { form: "note", values: form.values, all: form.all, problems: new Map<string, string>() };
  try {
    const { change, expected } = readNoteForm(form);
    const by = (note: TeamNoteChange) => new Map([[file, new Map([[key, note]])]]);
    const changes = { files: by(change), expected: by(expected) };
    const { result } = await changeNotes(storage, branch, changes, context);
    return { notice: result.unchanged + result.unknown > 0 ? "unchanged" : "written" };
  } catch (error) {
    if (isFailure(error, "text-conflict")) {
      const reason =
        "Others have changed the note since you saw it, so nothing was saved. Above is what it says now.";
      return { note: { state, reason }, status: 409 };
    }
    if (!isFailure(error, "invalid")) throw error;
    // The place of an element, such as `tags.0`, is that of its field.
    const problems = new Map(
      Array.from(problemsOf(error), ([field, text]) => [field.replace(/\..*/, ""), text]),
    );
    return {
      note: { state: { ...state, problems }, reason: "Nothing was saved." },
      status: 422,
    };
  }
}

/** A change of a note, and what its members were when the form was shown. */
interface NoteEdit {
  readonly change: TeamNoteChange;
  readonly expected: TeamNoteChange;
}

const seenNote = teamNoteSchema.catch({});

/** @throws SkepError `invalid` on the fields that no note can have. */
function readNoteForm(form: Form): NoteEdit {
  const { word } = form;
  const length = word("max_length");
  const tags = (word("tags") ?? "").split(",").map((tag) => tag.trim());
  const named = [...new Set(tags.filter((tag) => tag !== ""))];
  const change = {
    note: word("note") ?? null,
    ask: word("ask") ?? null,
    max_length: length === undefined ? null : Number(length),
    max_length_unit: word("max_length_unit") ?? null,
    tags: named.length === 0 ? null : named,
    keep: word("keep") === undefined ? null : true,
  };
  const seen = seenNote.parse(jsonOrUndefined(form.text("seen")) ?? {});
  const expected = {
    note: seen.note ?? null,
    ask: seen.ask ?? null,
    max_length: seen.max_length ?? null,
    max_length_unit: seen.max_length_unit ?? null,
    tags: seen.tags ?? null,
    keep: seen.keep ?? null,
  };
  return { change: check(teamNoteChangeSchema, change, "form"), expected };
}
