/** The conflicts of a merge: how requests settle them, and the error that tells of those that are left. */
import { Issues, type ConflictingText, type SkepError } from "../../domain/errors.ts";
import { localeNamed, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isFileName } from "../../domain/names.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import type { MergeConflict } from "../../domain/plans/merge-source.ts";
import type { MergeContents } from "../../domain/plans/merge-translations.ts";
import type { Resolution, Settlement, Taken } from "../../domain/plans/settlement.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";

/** How one conflict is settled, as it was asked for. */
export interface WantedResolution {
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** Of a conflict in a note: its member. */
  readonly member?: string;
  readonly take: "main" | "branch" | Exclude<Taken, string>;
}

/** What a request for a merge says of its conflicts. */
export interface Settling {
  readonly into: "main" | "branch";
  readonly resolutions?: readonly WantedResolution[];
  /** Whether the caller may see the texts of conflicts. */
  readonly canRead: boolean;
  /** How many characters of each text of a conflict an error has. */
  readonly maxShown?: number;
}

/** @throws SkepError `invalid` on each resolution that names what cannot be. */
export function toResolutions(
  settings: HiveSettings,
  { resolutions = [], into }: Settling,
): readonly Resolution[] {
  const issues = new Issues();
  const found = resolutions.flatMap((given, i): readonly Resolution[] => {
    const { take, file, key, member } = given;
    const locale = localeNamed(settings, given.locale)?.code;
    if (locale === undefined || !isFileName(file)) {
      issues.add(`resolutions.${i}`, () => `there is no such conflict: ${shownPlace(given)}`);
      return [];
    }
    const taken = typeof take === "object" ? take : take === into ? "ours" : "theirs";
    return [{ locale, file, key, member, take: taken }];
  });
  issues.throwIfAny();
  return found;
}

/**
 * @param find gives the conflicts that there are where none is settled.
 * @throws SkepError `invalid` on each resolution that settles no conflict, or cannot.
 */
export async function requireConflicts(
  settlement: Settlement,
  { resolutions = [] }: Settling,
  find: () => Promise<readonly MergeConflict[]>,
): Promise<void> {
  const issues = new Issues();
  for (const [index, problem] of await settlement.problems(find)) {
    const { [index]: given } = resolutions;
    issues.add(`resolutions.${index}`, () => `${problem}: ${given === undefined ? "" : shownPlace(given)}`);
  }
  issues.throwIfAny();
}

function shownPlace({ locale, file, key, member }: WantedResolution): string {
  const parts = [
    excerpt(locale),
    excerpt(file, 255),
    excerpt(key),
    ...(member === undefined ? [] : [member]),
  ];
  return parts.join(": ");
}

/** The longest text of a conflict that an error shows, if not told otherwise. */
const usuallyShown = 1_000;

/** The error for conflicts that are left, as which nothing is merged. */
export function mergeConflict(
  conflicts: readonly MergeConflict[],
  { ours, theirs }: Pick<MergeContents, "ours" | "theirs">,
  { into, canRead, maxShown = usuallyShown }: Settling,
): SkepError {
  const shown = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
  const { settings } = ours.content;
  const sourceOf = ({ locale, file, key }: MergeConflict): string | undefined => {
    if (locale === settings.sourceLocale.code) return undefined;
    const texts = [ours, theirs].map(({ content }) => translatableTexts(content.source.get(file)).get(key));
    const text = texts.find((one) => one !== undefined);
    return text === undefined ? undefined : shown(text);
  };
  const problem = "Changed differently in main and in the branch, so nothing was merged";
  return differenceConflict(
    conflicts,
    settings,
    problem,
    "merge_conflict",
    (conflict, at): ConflictingText => {
      const { reason, inTheWay, member } = conflict;
      return {
        ...at,
        reason,
        member,
        source: canRead ? sourceOf(conflict) : undefined,
        ...(canRead ? textsOf(conflict, into, shown) : {}),
        in_the_way: canRead && inTheWay !== undefined ? shown(inTheWay) : undefined,
      };
    },
  );
}

/** The texts of a conflict by the branches that have them. */
function textsOf(
  conflict: MergeConflict,
  into: Settling["into"],
  shown: (text: string) => string,
): Required<Pick<ConflictingText, "base" | "main" | "branch">> {
  const [base, ours, theirs] = [conflict.base, conflict.ours, conflict.theirs].map((text) =>
    text === undefined ? null : shown(text),
  );
  const [main, branch] = into === "main" ? [ours, theirs] : [theirs, ours];
  return { base: base ?? null, main: main ?? null, branch: branch ?? null };
}
