/** The notes of a string: what is said about it, and the form that changes what the team says. */
import { useHive } from "../requests/context.tsx";
import { lengthUnits } from "../../../domain/checks/length.ts";
import {
  shownNote,
  type StringNotes,
  type TeamNote,
  type TeamNoteChange,
} from "../../../domain/notes/note.ts";
import { noteLines, type NoteWords } from "../../../domain/notes/note-lines.ts";
import { type FormState, listIn, refusedBy, stateOf, writtenState, type Form } from "../requests/form.ts";
import { Fields, problemsAt, writtenNames, type FormField } from "../parts/fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Name, Text } from "../parts/text.tsx";
import { t, type NoticeName } from "../texts/texts.ts";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { teamNoteChangeSchema, teamNoteSchema } from "../../../domain/notes/note-schema.ts";
import { check } from "../../schemas/schemas.ts";
import { isFailure } from "../../../domain/errors.ts";
import { changeNotes } from "../../../service/content/notes.ts";
import type { Oid } from "../../../domain/names.ts";
import type { HiveFormRequest } from "../requests/page.ts";
import { undoOf } from "../requests/undoable.ts";

const words: NoteWords = {
  atMost: (count, unit) => t(`notes.at_most_${unit}`, { count }),
  forExample: (example) => t("notes.for_example", { example }),
};

function Tags({ notes }: { notes: StringNotes }) {
  const { hiveLink } = useHive();
  const { tags = [] } = shownNote(notes);
  if (tags.length === 0) return null;
  return (
    <p class="tags">
      {tags.map((tag) => (
        <>
          <Name name={tag} href={hiveLink(["strings"], { tag })} class="tag" />{" "}
        </>
      ))}
    </p>
  );
}

/** What is said about a string, in a list: the first line, and the tags. */
export function ShortNote({ notes }: { notes: StringNotes | undefined }) {
  if (notes === undefined) return null;
  const [first] = noteLines(notes, words);
  return (
    <div class="note">
      {first !== undefined && (
        <p class="aside-text">
          <Text text={first} limit={maxInList} />
        </p>
      )}
      <Tags notes={notes} />
    </div>
  );
}

const maxInList = 200;

/** Everything that is said about a string. */
export function NoteDetails({ notes }: { notes: StringNotes }) {
  const { keep, machine, where = [] } = shownNote(notes);
  // Questions stand among the comments.
  const { ask: _ask, ...team } = notes.team ?? {};
  const lines = noteLines({ ...notes, team }, words);
  return (
    <section class="note" aria-label={t("notes.note")}>
      {lines.length > 0 && (
        <p class="small soft">
          <strong>{t("notes.note")}</strong>
        </p>
      )}
      {lines.map((line) => (
        <p>
          <Text text={line} />
        </p>
      ))}
      {keep === true && <p>{t("notes.do_not_translate_this_text")}</p>}
      {machine === false && <p>{t("notes.not_for_engines")}</p>}
      <Tags notes={notes} />
      {where.map((place) => (
        <p class="aside-text">
          <code>
            <Name name={place} />
          </code>
        </p>
      ))}
    </section>
  );
}

interface NoteFormProps {
  readonly to: string;
  /** What the team says now, which the form must not replace unseen. */
  readonly team: TeamNote | undefined;
  readonly refused: RefusedNote | undefined;
}

/** The form that changes what the team says. */
export function NoteForm(props: NoteFormProps) {
  const { to, team, refused } = props;
  const { ask: _ask, ...seen } = team ?? {};
  const isNew = Object.keys(seen).length === 0;
  const summary = t(isNew ? "notes.add_a_note" : "notes.change_the_teams_note");
  const fields = noteFields(team);
  return (
    <details class="editing" id="edit-note" open={refused !== undefined}>
      <summary>{summary}</summary>
      {refused !== undefined && (
        <p class="notice warn" role="alert">
          {refused.reason}
        </p>
      )}
      <PostForm
        to={to}
        class="stacked"
        isUnsaved={refused !== undefined}
        hidden={{ ...writtenNames(fields), seen: JSON.stringify(seen) }}
      >
        <Fields fields={fields} state={stateOf(refused?.state, "note")} />
        <div class="actions">
          <button class="primary" name="change" value="note">
            {t("common.save")}
          </button>
        </div>
      </PostForm>
    </details>
  );
}

function noteFields(team: TeamNote = {}): readonly FormField[] {
  const { note, max_length: length, max_length_unit: unit, tags, keep, machine } = team;
  const all = t("notes.the_unit_that_the_app");
  const area = { kind: "area", class: "wide" } as const;
  return [
    { ...area, name: "note", value: note },
    { name: "max_length", type: "number", value: length?.toString() },
    { kind: "one", name: "max_length_unit", all, options: lengthUnits, value: unit },
    { name: "tags", value: tags?.join(", ") },
    { kind: "switch", name: "keep", isOn: keep === true },
    { kind: "switch", name: "machine", isOn: machine === false },
  ];
}

/** A note that was refused, as the user wrote it. */
export interface RefusedNote {
  readonly state: FormState;
  readonly reason: string;
}

/** What became of a form: a notice, or the form again. */
type SavedNote =
  | { readonly notice: NoticeName; readonly undo: Oid | undefined }
  | { readonly note: RefusedNote; readonly status: number };

/** Changes what the team says about a string. @throws what a change of notes throws, but for what the user can mend. */
export async function saveNote(
  { storage, branch, form, context }: HiveFormRequest,
  { file, key }: { file: string; key: string },
): Promise<SavedNote> {
  try {
    const { change, expected } = readNoteForm(form);
    const by = (note: TeamNoteChange) => new Map([[file, new Map([[key, note]])]]);
    const changes = { files: by(change), expected: by(expected) };
    const done = await changeNotes(storage, branch, changes, context);
    const { unknown, unchanged } = done.result;
    const notice = unknown > 0 ? "done-none" : unchanged > 0 ? "already-so" : "written";
    return { notice, undo: undoOf(done) };
  } catch (error) {
    if (isFailure(error, "text-conflict")) {
      const reason = t("note-form.others_have_changed_the_note");
      return { note: { state: writtenState("note", form), reason }, status: 409 };
    }
    const { state, status } = refusedBy(error, "note", form);
    const { at: problems } = problemsAt(state, noteFields());
    return { note: { state: { ...state, problems }, reason: t("common.nothing_was_saved") }, status };
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
  const named = listIn(form, "tags");
  const change = {
    note: word("note") ?? null,
    max_length: length === undefined ? null : Number(length),
    max_length_unit: word("max_length_unit") ?? null,
    tags: named.length === 0 ? null : named,
    keep: word("keep") === undefined ? null : true,
    machine: word("machine") === undefined ? null : false,
  };
  const seen = seenNote.parse(jsonOrUndefined(form.text("seen")) ?? {});
  const none = { note: null, max_length: null, max_length_unit: null, tags: null, keep: null, machine: null };
  return { change: check(teamNoteChangeSchema, change, "form"), expected: { ...none, ...seen } };
}
