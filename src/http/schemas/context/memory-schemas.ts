/** The request and the response about translation memory. */
import { z } from "zod";
import { count, named } from "../objects.ts";
import { asInteger, positiveInteger } from "../schemas.ts";

/** The longest text that is looked up, in characters. */
const maxText = 5_000;
const maxHits = 50;

export const memoryQuery = z.strictObject({
  locale: z.string("must be given, and once").meta({
    description: "The target locale, by its canonical or its custom code.",
    examples: ["pt_BR"],
  }),
  text: z
    .string("must be given, and once")
    .min(1, "must not be empty")
    .max(maxText, `must be at most ${maxText} characters`)
    .meta({ description: "The source text, as the Hive has it.", examples: ["Wrong password."] }),
  limit: positiveInteger
    .transform((limit) => Math.min(limit, maxHits))
    .default(10)
    .meta({
      ...asInteger,
      default: 10,
      description: `The number of hits, at most ${maxHits}; a larger value counts as ${maxHits}.`,
    }),
});

export const memoryHit = named("MemoryHit", {
  source: z.string(),
  text: z.string().meta({ description: "Its translation." }),
  hive: z.string(),
  file: z.string(),
  key: z.string(),
  score: count.max(100).meta({
    description:
      "100 for an equal source text; for a similar one, how many per cent of the trigrams are the same.",
  }),
  approved: z.boolean().meta({ description: "Whether the translation does not wait for a review." }),
  former: z.boolean().meta({
    description: "Whether the translation is stale: its string has another source text now.",
  }),
});

export const memoryResponse = named("MemoryHits", { data: z.array(memoryHit) });
