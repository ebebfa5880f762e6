/** What the model answers to requests about notes and pictures. */
import { missing, type Answer, type Model } from "./model.ts";
import { hasString, setNote } from "./notes.ts";
import { isShown, united } from "./pictures.ts";

/** What somebody says about a string for the team; null takes it back. */
export function say(model: Model, slug: string, id: string, text: string | null): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  if (hasString(hive, id)) setNote(hive, id, { ...hive.notes.get(id), team: text ?? undefined });
  return { status: 200 };
}

/** All notes by `file key`. */
export function notesOf(model: Model, slug: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const told = [...hive.notes].filter(([, { app, team }]) => app !== undefined || team !== undefined);
  return { status: 200, body: Object.fromEntries(told.map(([id, { app, team }]) => [id, { app, team }])) };
}

/** What it answers to a comment on what is not there: to comment, one needs to read, so that a Hive is not found. */
function unseen(model: Model, slug: string): Answer {
  const answer = missing(model, slug);
  return answer.status === 403 ? { status: 404 } : answer;
}

/** What it answers when somebody comments on a string; changes the model. */
export function comment(model: Model, slug: string, id: string, text: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return unseen(model, slug);
  if (!hasString(hive, id)) return { status: 422 };
  const note = hive.notes.get(id);
  setNote(hive, id, { ...note, said: [...(note?.said ?? []), text] });
  return { status: 201 };
}

/** What it answers when a comment is deleted; changes the model. */
export function deleteComment(model: Model, slug: string, text: string | undefined): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return unseen(model, slug);
  for (const [id, note] of hive.notes) {
    if (text === undefined || note.said?.includes(text) !== true) continue;
    setNote(hive, id, { ...note, said: note.said.filter((one) => one !== text) });
    return { status: 200 };
  }
  return { status: 404 };
}

/** All comments by `file key`. */
export function commentsOf(model: Model, slug: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const said = [...hive.notes].flatMap(([id, note]) =>
    note.said === undefined || note.said.length === 0 ? [] : [[id, note.said.toSorted()] as const],
  );
  return { status: 200, body: Object.fromEntries(said) };
}

/** What it answers when a picture is added, or more strings to it; changes the model. */
export function addPicture(model: Model, slug: string, image: string, id: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  if (!isShown(hive, id)) return { status: 422 };
  const before = hive.pictures.get(image);
  hive.pictures.set(image, united(before ?? [], [id]));
  return { status: before === undefined ? 201 : 200 };
}

/** What it answers when a picture is deleted; changes the model. */
export function deletePicture(model: Model, slug: string, image: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  return { status: hive.pictures.delete(image) ? 200 : 404 };
}

/** The strings of all pictures. */
export function picturesOf(model: Model, slug: string): Answer {
  const hive = model.hives.get(slug);
  return hive === undefined ? { status: 404 } : { status: 200, body: Object.fromEntries(hive.pictures) };
}
