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
  return hive === undefined ? { status: 404 } : { status: 200, body: Object.fromEntries(hive.notes) };
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
