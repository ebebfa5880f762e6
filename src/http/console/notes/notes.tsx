/** The notes of a string: what is said about it, and the form that changes what the team says. */
import { lengthUnits } from "../../../domain/checks/length.ts";
import { shownNote, type StringNotes, type TeamNote } from "../../../domain/notes/note.ts";
import { noteLines } from "../../../domain/notes/note-lines.ts";
import type { FormState } from "../requests/form-state.ts";
import type { RefusedNote } from "./note-form.ts";
import type { HiveRequest } from "../requests/page.ts";
import { Choice, Switch, TextField } from "../parts/fields.tsx";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { Name, Text } from "../parts/text.tsx";

/** The tags of a string, each a link to all strings that have it. */
function Tags({ hiveLink, notes }: Pick<HiveRequest, "hiveLink"> & { readonly notes: StringNotes }) {
  const { tags = [] } = shownNote(notes);
  if (tags.length === 0) return null;
  return (
    <p class="tags">
      {tags.map((tag) => (
        <>
          <a class="tag" href={hiveLink(["strings"], { tag })}>
            <Name name={tag} />
          </a>{" "}
        </>
      ))}
    </p>
  );
}

/** What is said about a string, in a list: the first line, and the tags. */
export function ShortNote({
  hiveLink,
  notes,
}: Pick<HiveRequest, "hiveLink"> & { readonly notes: StringNotes | undefined }) {
  if (notes === undefined) return null;
  const [first] = noteLines(notes);
  return (
    <div class="note">
      {first !== undefined && (
        <p class="aside-text">
          <Text text={first} limit={maxInList} />
        </p>
      )}
      <Tags hiveLink={hiveLink} notes={notes} />
    </div>
  );
}

const maxInList = 200;

/** Everything that is said about a string. */
export function NoteDetails({
  hiveLink,
  notes,
}: Pick<HiveRequest, "hiveLink"> & { readonly notes: StringNotes }) {
  const { keep, where = [] } = shownNote(notes);
  const { ask, ...team } = notes.team ?? {};
  const lines = noteLines({ ...notes, team });
  return (
    <section class="note" aria-label="Note">
      {lines.length > 0 && (
        <p class="small soft">
          <strong>Note</strong>
        </p>
      )}
      {ask !== undefined && (
        <p>
          <span class="mark waiting">asked</span> <Text text={ask} />
        </p>
      )}
      {lines.map((line) => (
        <p>
          <Text text={line} />
        </p>
      ))}
      {keep === true && <p>Do not translate this text.</p>}
      <Tags hiveLink={hiveLink} notes={notes} />
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

/** The form that changes what the team says. @param props.team what it says now, which the form must not replace unseen. */
export function NoteForm({
  session,
  to,
  team,
  refused,
}: {
  readonly session: HiveRequest["session"];
  readonly to: string;
  readonly team: TeamNote | undefined;
  readonly refused: RefusedNote | undefined;
}) {
  const state = refused?.state ?? {
    form: "note",
    values: {},
    all: () => [],
    problems: new Map<string, string>(),
  };
  return (
    <details class="editing" id="edit-note" open={refused !== undefined}>
      <summary>{team === undefined ? "Add a note" : "Change the team's note"}</summary>
      {refused !== undefined && (
        <p class="notice warn" role="alert">
          {refused.reason}
        </p>
      )}
      <PostForm session={session} to={to} class="stacked" isUnsaved={refused !== undefined}>
        <HiddenFields fields={{ seen: JSON.stringify(team ?? {}) }} />
        <Lines label="What the text is for" name="note" state={state} value={team?.note} />
        <Lines label="A question about the text" name="ask" state={state} value={team?.ask} />
        <TextField
          label="Maximum length of a translation"
          name="max_length"
          type="number"
          state={state}
          value={team?.max_length?.toString()}
        />
        <Choice
          label="Counted in"
          name="max_length_unit"
          all="the unit that the app names"
          state={state}
          value={team?.max_length_unit}
          options={lengthUnits.map((unit) => [unit, unit])}
        />
        <TextField
          label="Tags, separated by commas"
          name="tags"
          state={state}
          value={team?.tags?.join(", ")}
        />
        <Switch label="Do not translate it" name="keep" state={state} isOn={team?.keep === true} />
        <div class="actions">
          <button class="primary" name="change" value="note">
            Save
          </button>
        </div>
      </PostForm>
    </details>
  );
}

function Lines({
  label,
  name,
  state: { form, values, problems },
  value = "",
}: {
  readonly label: string;
  readonly name: string;
  readonly state: FormState;
  readonly value: string | undefined;
}) {
  return (
    <div class="field wide">
      <label for={`${form}-${name}`}>{label}</label>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea id={`${form}-${name}`} name={name} rows={2} aria-describedby={`problem-${form}-${name}`}>
        {`\n${values[name] ?? value}`}
      </textarea>
      <p class="problem" id={`problem-${form}-${name}`}>
        {problems.has(name) && <Name name={problems.get(name) ?? ""} />}
      </p>
    </div>
  );
}
