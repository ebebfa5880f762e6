/** What the model knows of notes: one text of the app, one of the team, and comments, for each string. */
export interface Note {
  readonly app?: string | undefined;
  readonly team?: string | undefined;
  /** The texts of comments; no two are the same. */
  readonly said?: readonly string[] | undefined;
}

type Notes = ReadonlyMap<string, Note>;

/** What notes go with. */
interface State {
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly notes: Map<string, Note>;
}

export function setNote({ notes }: Pick<State, "notes">, id: string, { app, team, said = [] }: Note): void {
  if (app === undefined && team === undefined && said.length === 0) notes.delete(id);
  else notes.set(id, { app, team, said });
}

export function hasString({ files }: Pick<State, "files">, id: string): boolean {
  const [file = "", ...key] = id.split(" ");
  return files.get(file)?.has(key.join(" ")) === true;
}

/** Notes go with their strings. */
export function dropLostNotes(state: State): void {
  for (const id of state.notes.keys()) if (!hasString(state, id)) state.notes.delete(id);
}

export function isSameNotes(a: Notes, b: Notes): boolean {
  const textOf = ({ app, team, said = [] }: Note): string => JSON.stringify([app, team, said.toSorted()]);
  return a.size === b.size && [...a].every(([id, note]) => textOf(note) === textOf(b.get(id) ?? {}));
}

/** Comments of two sides: what one of them has deleted is gone, and all others stay. */
function mergeSaid(
  base: readonly string[] = [],
  ours: readonly string[] = [],
  theirs: readonly string[] = [],
): readonly string[] {
  const all = [...new Set([...ours, ...theirs])];
  return all.filter((text) => !base.includes(text) || (ours.includes(text) && theirs.includes(text)));
}

interface Sides {
  readonly base: State;
  readonly ours: State;
  readonly theirs: State;
}

/**
 * Merges the notes of two sides: what the app says is never a conflict, what the team says is one where both changed it.
 * @param winner whose text of the team counts then.
 * @param appOf whose text of the app counts where both changed it.
 */
export function mergeNotes(
  { base, ours, theirs }: Sides,
  winner: "ours" | "theirs",
  appOf: (id: string) => "ours" | "theirs",
): { readonly notes: Map<string, Note>; readonly conflicts: readonly string[] } {
  const notes = new Map(ours.notes);
  const conflicts: string[] = [];
  for (const id of new Set([...base.notes.keys(), ...ours.notes.keys(), ...theirs.notes.keys()])) {
    const [start = {}, mine = {}, other = {}] = [base, ours, theirs].map((side) => side.notes.get(id));
    if (!hasString(theirs, id)) continue;
    if (!hasString(ours, id)) {
      setNote({ notes }, id, other);
      continue;
    }
    const isConflict = start.team !== mine.team && start.team !== other.team && mine.team !== other.team;
    if (isConflict) conflicts.push(`en ${id}`);
    const takesTeam = isConflict ? winner === "theirs" : start.team !== other.team;
    const takesApp = start.app !== other.app && (start.app === mine.app || appOf(id) === "theirs");
    setNote({ notes }, id, {
      app: takesApp ? other.app : mine.app,
      team: takesTeam ? other.team : mine.team,
      said: mergeSaid(start.said, mine.said, other.said),
    });
  }
  return { notes, conflicts };
}
