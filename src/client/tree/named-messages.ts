/** gettext's templates whose msgids are names, such as `auth.login`: the texts are in the source locale's own files. */
import { groupBy } from "../../domain/group-by.ts";
import { isLanguageCode } from "./language-code.ts";
import { languageOf, noCode, type Candidate } from "./proposed-source.ts";
import { textsIn } from "./source-evidence.ts";

/** For how many of the templates' messages the source locale's own files must say something else than the msgid. */
const leastShare = 0.5;
/** How many files are read of each kind. */
const maxRead = 50;
/** The keys of plural forms are not msgids alone. */
const ofPlural = /\.(?:zero|one|two|few|many|other)$/;

type Pattern = readonly [path: string, candidates: readonly Candidate[]];

/**
 * Leaves out the templates of a pattern where the source locale has files of its own that say something else than the msgids.
 * Where they say the same, or little of all that there is, the template has the texts.
 * @param patterns with the candidates of each.
 * @param chosen the source locale.
 */
export async function withoutNames(
  folder: string,
  patterns: readonly Pattern[],
  chosen: string,
): Promise<readonly Pattern[]> {
  return Promise.all(
    patterns.map(async ([path, candidates]): Promise<Pattern> => {
      const templates = candidates.filter(({ file, code }) => code === noCode && file.endsWith(".pot"));
      if (!(await areNames(folder, templates, ownOf(candidates, chosen)))) return [path, candidates];
      const left = candidates.filter((candidate) => !templates.includes(candidate));
      return [path, left.map(({ file, code }) => ({ file, code, path }))];
    }),
  );
}

/** The files of the source locale, or of the only code of its language. */
function ownOf(candidates: readonly Candidate[], chosen: string): readonly Candidate[] {
  const kinds = groupBy(
    candidates.filter(({ code }) => isLanguageCode(code) && languageOf(code) === languageOf(chosen)),
    ({ code }) => code,
  );
  const [only] = kinds.values();
  return kinds.get(chosen) ?? (kinds.size === 1 ? only : undefined) ?? [];
}

/** Whether the msgids of templates are names, as the source locale's own files say something else for most of them. */
async function areNames(
  folder: string,
  templates: readonly Candidate[],
  own: readonly Candidate[],
): Promise<boolean> {
  const [first] = own;
  if (templates.length === 0 || first === undefined) return false;
  const textsOf = async (files: readonly Candidate[]): Promise<ReadonlyMap<string, string>> => {
    const read = await Promise.all(
      files.slice(0, maxRead).map(({ file }) => textsIn(folder, file, first.code)),
    );
    return new Map(read.flatMap((texts) => Array.from(texts ?? [])));
  };
  const texts = await textsOf(own);
  const msgids = [...(await textsOf(templates))].filter(([key]) => !ofPlural.test(key));
  const isSaid = ([key, msgid]: readonly [string, string]): boolean => (texts.get(key) ?? msgid) !== msgid;
  return msgids.length > 0 && msgids.filter(isSaid).length >= leastShare * msgids.length;
}
