/**
 * Findings that people accepted as false alarms: for a translation the checks, each with a hash of the source text and the
 * translation that it was accepted for. The hash decides alone, so an acceptance ends when either text changes.
 */
import { isRecord } from "../record.ts";
import type { Sides } from "../sides.ts";
import type { LocaleValues, Sidecar } from "./sidecar.ts";

/** The hash of the texts by the check that was accepted. */
export type AcceptedChecks = ReadonlyMap<string, string>;
export type Acceptances = LocaleValues<AcceptedChecks>;

const noChecks: AcceptedChecks = new Map();

export const acceptedKind: Sidecar<AcceptedChecks> = {
  folder: "accepted",
  by: "translation",
  countsByText: false,
  isOptional: false,
  words: ["accepted finding", "without a source string"],
  parse(stored) {
    if (!isRecord(stored)) throw new TypeError("must be an object");
    return new Map(
      Object.entries(stored).map(([check, digest]): [string, string] => {
        if (typeof digest !== "string") throw new TypeError(`${check} must be a hash`);
        return [check, digest];
      }),
    );
  },
  toJson: (checks) => Object.fromEntries([...checks].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  isSame: (one, other) =>
    one.size === other.size && [...one].every(([check, digest]) => other.get(check) === digest),
  // An acceptance of an earlier text counts again when that comes back.
  counts: (_, { source }) => source !== undefined,
  /** What both sides have changed stays as it is here: only one can be right for the texts that the change leaves. */
  merge({ base = noChecks, ours = noChecks, theirs = noChecks }: Sides<AcceptedChecks | undefined>) {
    const merged = new Map(ours);
    for (const check of new Set([...base.keys(), ...theirs.keys()])) {
      const [from, to] = [base.get(check), theirs.get(check)];
      if (merged.get(check) !== from || to === from) continue;
      if (to === undefined) merged.delete(check);
      else merged.set(check, to);
    }
    return merged.size === 0 ? undefined : merged;
  },
};
