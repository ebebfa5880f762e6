/** Commands that take something away do it only when they are told so. */
import { failure } from "../../domain/errors.ts";

/** @throws SkepError `conflict` saying what would happen, unless the flag was given. */
export function requireYes(yes: boolean, consequence: string): void {
  if (!yes) throw failure("conflict", `${consequence} Add --yes to do it.`);
}
