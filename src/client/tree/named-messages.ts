/** gettext's templates whose msgids are names, such as `auth.login`: the texts are in the source locale's own files. */
import { noCode, sourceFinder, type Candidate } from "./proposed-source.ts";
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
 * @param folder the app's tree.
 * @param patterns with the candidates of each.
 * @param chosen the source locale.
 */
export async function withoutNames(
  folder: string,
  patterns: readonly Pattern[],
  chosen: string,
): Promise<readonly Pattern[]> {
  const others = patterns.map(([path, candidates]): Pattern => [path, withoutTemplates(candidates)]);
  const sourceOf = sourceFinder(others, chosen);
  return Promise.all(
    patterns.map(async ([path, candidates], i): Promise<Pattern> => {
      const templates = candidates.filter(isTemplate);
      const [, left = []] = others[i] ?? [];
      const source = templates.length > 0 ? sourceOf(left) : undefined;
      const own = left.filter(({ code }) => code === source?.code);
      return [path, (await areNames(folder, templates, own)) ? left : candidates];
    }),
  );
}

function isTemplate({ file, code }: Candidate): boolean {
  return code === noCode && file.endsWith(".pot");
}

function withoutTemplates(candidates: readonly Candidate[]): readonly Candidate[] {
  if (!candidates.some(isTemplate)) return candidates;
  return candidates.flatMap((one) =>
    isTemplate(one) ? [] : { file: one.file, code: one.code, path: one.path },
  );
}

/** Whether the msgids of templates are names, as the source locale's own files say something else for most of them. */
async function areNames(
  folder: string,
  templates: readonly Candidate[],
  own: readonly Candidate[],
): Promise<boolean> {
  const [first] = own;
  if (first === undefined) return false;
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
