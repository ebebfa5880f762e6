/** The API of DeepL: https://developers.deepl.com/docs/api-reference/translate */
import { z } from "zod";
import { engineFacts } from "../../domain/engines/engine.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { EngineCall, EngineKind, TextsAnswer } from "./engine-kind.ts";
import { below, postToEngine } from "./engine-request.ts";

const answer = z.object({ translations: z.array(z.object({ text: z.string() })) });

/** Keys of free accounts end so, and have an address of their own. */
const freeEnding = ":fx";
const freeUrl = "https://api-free.deepl.com";

/** DeepL's code of a target: the region where DeepL has it, and scripts of Chinese. */
function targetCode(code: LocaleCode): string {
  const { language, region, script } = new Intl.Locale(code);
  if (language === "zh")
    return script === "Hant" || region === "TW" || region === "HK" ? "ZH-HANT" : "ZH-HANS";
  if (language === "en") return region === "US" || region === undefined ? "EN-US" : "EN-GB";
  if (language === "pt") return region === "BR" ? "PT-BR" : "PT-PT";
  if (language === "es" && region !== undefined && region !== "ES") return "ES-419";
  if (language === "no" || language === "nn") return "NB";
  return language.toUpperCase();
}

async function translateTexts(
  { engine, key = "", send, signal, timeoutMs, from, to }: EngineCall,
  texts: readonly string[],
): Promise<TextsAnswer> {
  const own = key.endsWith(freeEnding) ? freeUrl : (engineFacts.deepl.url ?? "");
  const formality = engine.formality?.[to];
  const json = await postToEngine(send, {
    url: below(engine.url ?? own, "v2/translate"),
    headers: { authorization: `DeepL-Auth-Key ${key}` },
    body: {
      text: texts,
      source_lang: new Intl.Locale(from).language.toUpperCase(),
      target_lang: targetCode(to),
      tag_handling: "xml",
      ...(formality && { formality: `prefer_${formality}` }),
    },
    signal,
    timeoutMs,
    key,
  });
  const { data } = answer.safeParse(json);
  return { texts: data?.translations.map(({ text }) => text) ?? [], model: undefined, tokens: 0 };
}

export const deepl: EngineKind = { translateTexts };
