/** Makes what an app's files say fit into the limits of a note. */
import { textProblem } from "../text.ts";
import { isLine, isTag, noteLimits, withoutUndefined, type AppNote, type ArgumentNote } from "./note.ts";

/**
 * The note with what is too long cut off, and without what a note cannot hold.
 * @returns undefined when nothing is left.
 */
export function cutNote(note: AppNote): AppNote | undefined {
  const { max_length: length = 0, max_length_unit: unit } = note;
  const hasLength = Number.isInteger(length) && length > 0 && length <= noteLimits.maxLength;
  const tags = (note.tags ?? []).map((tag) => cut(tag, noteLimits.tag)).filter((tag) => tag && isTag(tag));
  const where = (note.where ?? [])
    .map((place) => cut(place, noteLimits.place))
    .filter((place) => place && isLine(place));
  const named = Object.entries(note.arguments ?? {}).flatMap(([name, about]) => {
    const isLeft = name !== "" && name !== "__proto__" && cut(name, noteLimits.argumentName) === name;
    const left = isLeft ? withoutUndefined(mapValues(about)) : undefined;
    return left === undefined ? [] : [[name, left] as const];
  });
  return withoutUndefined({
    note: cut(note.note, noteLimits.note),
    max_length: hasLength ? length : undefined,
    max_length_unit: hasLength ? unit : undefined,
    tags: distinct(tags, noteLimits.tags),
    where: distinct(where, noteLimits.where),
    keep: note.keep,
    arguments: named.length === 0 ? undefined : Object.fromEntries(named.slice(0, noteLimits.arguments)),
  });
}

function mapValues({ type, example, description }: ArgumentNote): ArgumentNote {
  return {
    type: cut(type, noteLimits.argument),
    example: cut(example, noteLimits.argument),
    description: cut(description, noteLimits.argument),
  };
}

/** At most `limit` code points of a text; undefined where nothing is left, or it cannot be stored. */
function cut(text: string | undefined, limit: number): string | undefined {
  if (text === undefined || textProblem(text) !== undefined) return undefined;
  const trimmed = text.trim();
  const points = trimmed.length > limit ? Array.from(trimmed.slice(0, 2 * limit + 2)) : undefined;
  if (points === undefined || points.length <= limit) return trimmed === "" ? undefined : trimmed;
  return `${points.slice(0, limit - 1).join("")}…`;
}

function distinct(texts: readonly (string | undefined)[], limit: number): readonly string[] | undefined {
  const some = new Set(texts.filter((text) => text !== undefined));
  return some.size === 0 ? undefined : [...some].slice(0, limit);
}
