/** Parsers of arguments, for commander. */
import { messageOf } from "../../domain/errors.ts";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { duration, wholeNumber, type Kind } from "../../config/kinds.ts";
import { toTeamName, type TeamName } from "../../domain/names.ts";

/** Makes a parser for commander's arguments from a kind of setting. */
function argumentOf<T>(kind: Kind<T>): (text: string) => T {
  return (text) => {
    try {
      return kind(text);
    } catch (error) {
      throw new InvalidArgumentError(`It ${messageOf(error)}.`);
    }
  };
}

/**
 * Parses the name of a team. As a function of its own, because commander gives a parser the earlier value as its second
 * argument. @throws SkepError `invalid` when the text cannot be one.
 */
export function toTeam(text: string): TeamName {
  return toTeamName(text);
}

/** Parses a whole number that is not negative. @throws InvalidArgumentError when the text is anything else. */
export const toWholeNumber = argumentOf(wholeNumber);

/** Parses a percentage without its sign. @throws InvalidArgumentError when it is none. */
export function toPercent(text: string): number {
  const percent = toWholeNumber(text);
  if (percent > 100) throw new InvalidArgumentError("It must be at most 100.");
  return percent;
}

/**
 * Parses a span of time such as `90d` into milliseconds. @throws InvalidArgumentError when the text is anything else.
 */
export const toDuration = argumentOf(duration);

/** Parses a day, such as `2026-01-31`. @throws InvalidArgumentError when the text is anything else. */
export function toDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError("It must be a day, such as 2026-01-31.");
}

/** Parses a limit that can be removed. @throws InvalidArgumentError when it is neither a number nor `none`. */
export function toLimit(text: string): number | "none" {
  if (text === "none") return "none";
  try {
    return wholeNumber(text);
  } catch {
    throw new InvalidArgumentError("It must be a whole number, or none for no limit.");
  }
}
