/**
 * Parses revisions, the values of `at`: a commit, an abbreviated commit, a tag, `main`, or a date or time. Other revision
 * syntax of git is not supported, and a caller's text is never passed to git.
 */
import { invalid } from "../errors.ts";
import { isOid, type Oid } from "../names.ts";
import { isTagName, type TagName } from "./ref-name.ts";
import { excerpt } from "../text.ts";

/** The possible meanings of a text, in the order in which they are tried. A full commit hash has no other meaning. */
export interface Revision {
  readonly text: string;
  readonly oid?: Oid;
  /** At least 7 hexadecimal digits, in lower case. */
  readonly prefix?: string;
  readonly tag?: TagName;
  readonly isMain: boolean;
  /** The last second that belongs to a date or time, since 1970. */
  readonly until?: number;
}

/** @throws SkepError `invalid` on the field when it has none of these forms. */
export function toRevision(text: string, field = "at"): Revision {
  const hex = text.toLowerCase();
  if (isOid(hex)) return { text, oid: hex, isMain: false };
  const until = toSeconds(text)?.last;
  const isMain = text === "main";
  const forms = {
    prefix: /^[0-9a-f]{7,39}$/.test(hex) ? hex : undefined,
    tag: isTagName(text) ? text : undefined,
    until,
  };
  if (!isMain && Object.values(forms).every((form) => form === undefined)) {
    throw invalid(
      field,
      `"${excerpt(text)}" is not a commit (at least 7 hexadecimal digits), a tag, main, or an ISO 8601 date or time`,
    );
  }
  return { text, ...forms, isMain };
}

const timePattern =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?(Z|[+ -][0-9]{2}(?::?[0-9]{2})?)?)?$/;

/** The first and last second of a date since 1970; for a time they are equal. */
export interface Seconds {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses an ISO 8601 date or time, in UTC unless it has an offset. A space before an offset is read as a `+` that was
 * not encoded in a URL.
 * @returns undefined when it is not a date or time.
 */
export function toSeconds(text: string): Seconds | undefined {
  const [, date, minute, second = "00", zone = "Z"] = timePattern.exec(text) ?? [];
  if (date === undefined) return undefined;
  const day = Date.parse(`${date}T00:00:00Z`) / 1000;
  // Date.parse reads a day that the month does not have as a day of the next month.
  if (Number.isNaN(day) || new Date(day * 1000).toISOString().slice(0, 10) !== date) return undefined;
  if (minute === undefined) return { first: day, last: day + 86_399 };
  const [, sign, hours, minutes = "00"] = /^([+ -])([0-9]{2}):?([0-9]{2})?$/.exec(zone) ?? [];
  const offset = sign === undefined ? "Z" : `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
  const seconds = Date.parse(`${date}T${minute}:${second}${offset}`) / 1000;
  return Number.isNaN(seconds) ? undefined : { first: seconds, last: seconds };
}
