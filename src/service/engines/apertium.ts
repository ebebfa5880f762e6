/** The API of Apertium: https://wiki.apertium.org/wiki/Apertium-apy#Usage */
import { z } from "zod";
import type { EngineCall, EngineKind, TextsAnswer } from "./engine-kind.ts";
import { below, postToEngine } from "./engine-request.ts";

const answer = z.object({ responseData: z.object({ translatedText: z.string() }) });

/** A paragraph of its own for each text: it translates a document at a time. */
const paragraph = (text: string): string => `<p>${text}</p>`;
const paragraphs = /<p>([^]*?)<\/p>/g;

async function translateTexts(
  { engine, key, send, signal, timeoutMs, from, to }: EngineCall,
  texts: readonly string[],
): Promise<TextsAnswer> {
  const body = new URLSearchParams({
    langpair: `${new Intl.Locale(from).language}|${new Intl.Locale(to).language}`,
    q: texts.map(paragraph).join("\n"),
    format: "html",
    // Otherwise words that it does not know begin with a star.
    markUnknown: "no",
  });
  if (key !== undefined) body.set("key", key);
  const url = below(engine.url ?? "", "translate");
  const json = await postToEngine(send, { url, body, signal, timeoutMs, key });
  const { data } = answer.safeParse(json);
  const found = Array.from(
    (data?.responseData.translatedText ?? "").matchAll(paragraphs),
    ([, text = ""]) => text,
  );
  return { texts: found, model: undefined, tokens: 0 };
}

export const apertium: EngineKind = { translateTexts };
