/** Fetches the texts of several locales, all as of one commit. */
import type { ExportRules, HiveApi, HiveLocale, HiveTexts } from "./hive-api.ts";
import type { StringAddress } from "./schemas.ts";

export interface FetchedLocale {
  readonly texts: HiveTexts;
  /** The strings without a translation, where gaps are filled. Only the server knows which plural forms a locale needs. */
  readonly gaps: readonly StringAddress[];
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

interface FetchOptions extends ExportRules {
  /** The revision; the current state if not given. */
  readonly at?: string;
  readonly missing: "leave" | "source";
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
    const filter = { states: "missing,kept", revision: commit, tag: rules.tag };
    const gaps = missing === "source" && !isPseudo ? (await hive.untranslated(code, filter)).data : [];
    texts.set(code, { texts: data.texts, gaps, isPseudo });
  }
  return { commit, texts, leftOut };
}
