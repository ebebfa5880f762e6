/**
 * The translations that the app corrected: that its files changed since the last pushed commit, and that the Hive never
 * had. A pull must not revert these. A text that the Hive had once came into the files by an earlier pull, or was pushed.
 */
import { ClientError } from "./api/client-error.ts";
import type { HiveLocale, HiveTexts } from "./api/hive-api.ts";
import { earlierTargets } from "./earlier.ts";
import type { Project } from "./project.ts";
import { textsByFile, type TreeContent } from "./read-tree.ts";
import { isInGit } from "./repository/app-branch.ts";
import { shallowHint } from "./repository/commits.ts";
import { tryGit } from "./repository/run-git.ts";
import { lastPushed } from "./since.ts";
import { ancestorsAmong, type FetchedLocale } from "./api/fetched-texts.ts";
import { addressOf, textsOf } from "./texts.ts";

/** A translation whose text in the app's file is another than in the Hive. */
interface DifferingText {
  readonly file: string;
  readonly key: string;
  readonly here: string;
  readonly hive: string;
}

/** The corrections in a file, by key. */
export type Corrections = ReadonlyMap<string, DifferingText>;
export const noCorrections: Corrections = new Map();

/** Translations that a pull replaces although they may be corrections. */
export interface Uncertain {
  readonly total: number;
  readonly reason: string;
}

export interface FoundCorrections {
  /** By locale and file. */
  readonly corrections: ReadonlyMap<string, ReadonlyMap<string, Corrections>>;
  readonly uncertain: Uncertain | null;
}

/** About so many strings the Hive is asked what they had: more are not corrected by hand between two pushes. */
const maxAsked = 500;

/**
 * Finds the corrections that a pull keeps. Where no base is known, no text counts as one, except with
 * `mine` each.
 * @param texts those of the Hive, by locale.
 */
export async function findCorrections(
  project: Project,
  content: TreeContent,
  locales: readonly HiveLocale[],
  texts: ReadonlyMap<string, HiveTexts>,
  keep: "mine" | "theirs" | undefined,
): Promise<FoundCorrections> {
  const found = new Map<string, ReadonlyMap<string, Corrections>>();
  if (keep === "theirs") return { corrections: found, uncertain: null };
  const differing = new Map(
    locales.map((locale) => [locale, differingTexts(content, locale, texts.get(locale.code))]),
  );
  if ([...differing.values()].every(({ length }) => length === 0))
    return { corrections: found, uncertain: null };
  const base = await findBase(project);
  let asked = 0;
  let unknown = 0;
  for (const [locale, all] of differing) {
    const earlier = base && all.length > 0 ? await textsAt(project, base, content, locale) : undefined;
    const corrections = new Map<string, Map<string, DifferingText>>();
    for (const text of all) {
      const { file, key, here } = text;
      if (earlier?.get(file)?.get(key) === here) continue;
      const isAsked = asked++ < maxAsked;
      if (isAsked && (await project.hive.history.hasHad(locale, text, here))) continue;
      const isCertain = isAsked && earlier !== undefined;
      if (!isCertain) unknown++;
      if (!isCertain && keep !== "mine") continue;
      const own = corrections.get(file) ?? new Map<string, DifferingText>();
      corrections.set(file, own.set(key, text));
    }
    found.set(locale.code, corrections);
  }
  if (unknown === 0 || keep === "mine") return { corrections: found, uncertain: null };
  const reason =
    base === undefined
      ? `no pushed commit of the app is known.${await shallowHint(project.config.folder)}`
      : `too many changed since ${base.slice(0, 7)}, or its files cannot be read.`;
  return { corrections: found, uncertain: { total: unknown, reason } };
}

/** The texts that a pull would replace by others. One that equals its source text is a placeholder, and no translation. */
function differingTexts(
  { sources, targets, faults }: TreeContent,
  { code }: HiveLocale,
  ofHive: HiveTexts | undefined,
): readonly DifferingText[] {
  if (!faults.isSound(code)) return [];
  return sources.flatMap(({ file: { name: file }, translatable }) => {
    const local = targets.get(code)?.get(file)?.texts;
    return Array.from(ofHive?.get(file) ?? []).flatMap(([key, hive]) => {
      const here = local?.get(key) ?? "";
      return here === "" || here === hive || here === translatable.get(key)
        ? []
        : [{ file, key, here, hive }];
    });
  });
}

/**
 * The texts that an earlier pull wrote into gaps, and that a locale inherits no more: the app's file has them, the Hive does
 * not, and one of the locales that it inherits from had them. Only so many are asked for; the rest counts as the app's own.
 * @param texts those of the Hive, with what stands in the gaps.
 * @returns the addresses of such texts, by locale.
 */
export async function formerlyInherited(
  { hive }: Project,
  { targets, sources }: TreeContent,
  locales: readonly HiveLocale[],
  texts: ReadonlyMap<string, Pick<FetchedLocale, "gaps">>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const sourceTexts = textsByFile(sources);
  const former = new Map<string, ReadonlySet<string>>();
  const mayInherit = locales.some(
    ({ code, inherits }) => inherits !== undefined && texts.get(code)?.gaps.length,
  );
  const all = mayInherit ? (await hive.locales()).targets : [];
  let asked = 0;
  for (const locale of locales) {
    const found = new Set<string>();
    const ancestors = ancestorsAmong(all, locale);
    for (const gap of ancestors.length === 0 ? [] : (texts.get(locale.code)?.gaps ?? [])) {
      const here = targets.get(locale.code)?.get(gap.file)?.texts.get(gap.key) ?? "";
      const isSame = here === "" || here === gap.text || here === sourceTexts.get(gap.file)?.get(gap.key);
      if (isSame || asked >= maxAsked) continue;
      asked++;
      for (const ancestor of ancestors)
        if (await hive.history.hasHad(ancestor, gap, here)) {
          found.add(addressOf(gap));
          break;
        }
    }
    former.set(locale.code, found);
  }
  return former;
}

/** The last pushed commit of the app; undefined where none is known. */
async function findBase(project: Project): Promise<string | undefined> {
  const { folder } = project.config;
  const hasCommit = async () =>
    (await tryGit(folder, ["rev-parse", "--verify", "--quiet", "HEAD"])) !== undefined;
  return (await isInGit(folder)) && (await hasCommit()) ? lastPushed(project) : undefined;
}

/** The texts at a commit; undefined where a file was faulty then, which keeps nobody from a pull now. */
async function textsAt(
  project: Project,
  commit: string,
  content: TreeContent,
  { code }: HiveLocale,
): Promise<HiveTexts | undefined> {
  try {
    const files = await earlierTargets(project, commit, content, code);
    return new Map(Array.from(files, ([name, group]) => [name, textsOf(group)]));
  } catch (error) {
    if (error instanceof ClientError && error.kind === "error") return undefined;
    throw error;
  }
}
