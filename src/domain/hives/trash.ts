/** Deleted Hives: their ids in the trash. */
import { failure, type SkepError } from "../errors.ts";
import { isHiveSlug, type Branded, type HiveSlug, type TeamName } from "../names.ts";

/** `<slug>.<time>`, the name of a folder; it can never be a slug. */
export type TrashId = Branded<string, "TrashId">;

export interface TrashEntry {
  readonly id: TrashId;
  readonly slug: HiveSlug;
  /** In milliseconds since 1970. */
  readonly deleted: number;
  /** Undefined for a repository that no team listed. */
  readonly team?: TeamName;
}

const idPattern = /^([^.]+)\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/;

/** @param time in milliseconds since 1970. */
export function toTrashId(slug: HiveSlug, time: number): TrashId {
  const id = `${slug}.${new Date(time).toISOString().replaceAll(/[-:.]/g, "")}`;
  if (!isTrashId(id)) throw new Error(`no time of a deletion: ${time}`);
  return id;
}

/** The error for an id that is not in the trash by now. */
export function notInTrash(id: TrashId): SkepError {
  return failure("not-found", `There is no ${id} in the trash.`);
}

function isTrashId(text: string): text is TrashId {
  return idPattern.test(text);
}

/** Parses an id of {@link toTrashId}; undefined for anything else. */
export function parseTrashId(text: string): Omit<TrashEntry, "team"> | undefined {
  if (!isTrashId(text)) return undefined;
  const [, slug = "", year, month, day, hours, minutes, seconds, ms] = idPattern.exec(text) ?? [];
  const deleted = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
  if (!isHiveSlug(slug) || Number.isNaN(deleted)) return undefined;
  return { id: text, slug, deleted };
}
