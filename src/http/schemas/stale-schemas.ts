/** The requests and responses about stale translations. */
import { z } from "zod";
import { count, listOf, once, pageMeta, pageQuery } from "./schemas.ts";

export const staleQuery = pageQuery.extend({
  locale: once.meta({ description: "Only translations into this locale.", examples: ["pt_BR"] }),
});

const staleTranslation = z
  .object({
    locale: z.string(),
    file: z.string(),
    key: z.string(),
    old_source_value: z.string().meta({ description: "The source text for which the translation was made." }),
    source_value: z.string(),
    translation: z.string(),
  })
  .meta({ id: "StaleTranslation" });

export const staleResponse = z
  .object({ data: z.array(staleTranslation), meta: pageMeta })
  .meta({ id: "StaleTranslationPage" });

const text = z.string("must be text");

export const confirmBody = z
  .object(
    { locale: text, file: text, keys: listOf(text, { message: "must be a list of keys" }) },
    "must be a JSON object",
  )
  .meta({ id: "StaleConfirmation" });

export const confirmResponse = z
  .object({
    confirmed: count,
    unknown: count.meta({ description: "Keys that have no stale translation." }),
  })
  .meta({ id: "StaleConfirmationResult" });
