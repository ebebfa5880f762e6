/** The requests and responses about stale translations. */
import { z } from "zod";
import { listOf, once, pageQuery } from "./schemas.ts";
import { count, named, pageOf, text } from "./objects.ts";

export const staleQuery = pageQuery.extend({
  locale: once.meta({ description: "Only translations into this locale.", examples: ["pt_BR"] }),
});

const staleTranslation = named("StaleTranslation", {
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  old_source_value: z.string().meta({ description: "The source text for which the translation was made." }),
  source_value: z.string(),
  translation: z.string(),
});

export const staleResponse = pageOf("StaleTranslationPage", staleTranslation);

export const confirmBody = named("StaleConfirmation", {
  locale: text,
  file: text,
  keys: listOf(text, { message: "must be a list of keys" }),
});

export const confirmResponse = named("StaleConfirmationResult", {
  confirmed: count,
  unknown: count.meta({ description: "Keys that have no stale translation." }),
});
