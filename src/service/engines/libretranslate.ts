/** The API of LibreTranslate: https://docs.libretranslate.com/guides/api_usage/ */
import { z } from "zod";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { EngineCall, EngineKind, TextsAnswer } from "./engine-kind.ts";
import { below, postToEngine } from "./engine-request.ts";

const answer = z.object({ translatedText: z.array(z.string()) });

/** Its codes are those of languages, with a few exceptions. */
function codeFor(code: LocaleCode): string {
  const { language, region, script } = new Intl.Locale(code);
  if (language === "zh")
    return script === "Hant" || region === "TW" || region === "HK" ? "zh-Hant" : "zh-Hans";
  if (language === "pt" && region === "BR") return "pt-BR";
  return language;
}

async function translateTexts(
  { engine, key, send, signal, timeoutMs, from, to }: EngineCall,
  texts: readonly string[],
): Promise<TextsAnswer> {
  const json = await postToEngine(send, {
    url: below(engine.url ?? "", "translate"),
    body: {
      q: texts,
      source: codeFor(from),
      target: codeFor(to),
      format: "html",
      ...(key !== undefined && { api_key: key }),
    },
    signal,
    timeoutMs,
    key,
  });
  const { data } = answer.safeParse(json);
  return { texts: data?.translatedText ?? [], model: undefined, tokens: 0 };
}

export const libretranslate: EngineKind = { translateTexts };
