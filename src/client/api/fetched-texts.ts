/** Fetches the texts of several locales, all as of one commit. */
import type { ExportRules, HiveApi, HiveLocale, HiveTexts } from "./hive-api.ts";
import type { StringAddress } from "./schemas.ts";

export interface Gap extends StringAddress {
  /** What stands in it; the source text where it is not said. */
  readonly text?: string;
}

export interface FetchedLocale {
  readonly texts: HiveTexts;
  /** The strings without a translation, where gaps are filled. Only the server knows which plural forms a locale needs. */
  readonly gaps: readonly Gap[];
  readonly isPseudo: boolean;
}

export interface LeftOutLocale {
  readonly locale: string;
  /** How much of it is translated. */
  readonly percent: number;
}

export interface FetchedTexts {
  readonly commit: string | undefined;
  /** By the code of the locale. */
  readonly texts: ReadonlyMap<string, FetchedLocale>;
  /** The other locales, of which too little is translated. */
  readonly leftOut: readonly LeftOutLocale[];
}

interface FetchOptions extends Omit<ExportRules, "missing"> {
  /** The revision; the current state if not given. */
  readonly at?: string;
  readonly missing: "leave" | "source" | "fallback";
}

/** The translations of locales. @param progress is told which locale is fetched. @throws ClientError */
export async function fetchTexts(
  hive: HiveApi,
  locales: readonly HiveLocale[],
  { at, missing, ...rules }: FetchOptions,
  progress: (message: string) => void,
): Promise<FetchedTexts> {
  const texts = new Map<string, FetchedLocale>();
  const leftOut: LeftOutLocale[] = [];
  let commit: string | undefined;
  for (const [place, { code, isPseudo = false }] of locales.entries()) {
    progress(`Fetching ${code} (${place + 1} of ${locales.length})`);
    const answer = await hive.exported(code, at === undefined ? undefined : (commit ?? at), rules);
    commit ??= answer.commit;
    // The Hive may have been changed between two requests.
    const { data } = answer.commit === commit ? answer : await hive.exported(code, commit, rules);
    if (data.leftOut !== undefined) {
      leftOut.push({ locale: code, percent: data.leftOut });
      continue;
    }
    let gaps: readonly Gap[] = [];
    if (missing === "source" && !isPseudo) {
      const filter = { states: "missing,kept", revision: commit, tag: rules.tag };
      gaps = (await hive.untranslated(code, filter)).data.map(({ file, key }) => ({ file, key }));
    } else if (missing === "fallback" && !isPseudo) {
      const filled = await hive.exported(code, commit, { ...rules, missing });
      gaps = gapsBetween(data.texts, filled.data.texts);
    }
    texts.set(code, { texts: data.texts, gaps, isPseudo });
  }
  return { commit, texts, leftOut };
}

/** What stands in the gaps of some texts. */
export function gapsBetween(own: HiveTexts, filled: HiveTexts): readonly Required<Gap>[] {
  const gaps: Required<Gap>[] = [];
  for (const [file, texts] of filled) {
    const present = own.get(file);
    for (const [key, text] of texts) if (present?.has(key) !== true) gaps.push({ file, key, text });
  }
  return gaps;
}

/** The locales that one inherits from, the nearest first. @param all those of the Hive. */
export function ancestorsAmong(all: readonly HiveLocale[], locale: HiveLocale): readonly HiveLocale[] {
  const ancestors: HiveLocale[] = [];
  for (let next: HiveLocale | undefined = locale; next?.inherits !== undefined;) {
    const { inherits }: HiveLocale = next;
    next = all.find(({ canonical }) => canonical === inherits);
    if (next === undefined || ancestors.includes(next)) break;
    ancestors.push(next);
  }
  return ancestors;
}
