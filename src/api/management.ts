/** What requests and responses have in common about locales, tokens and rights. */
import { z } from "zod";
import { maxNameLength } from "../domain/hives/hive-settings.ts";
import { customCodePattern, maxLocales } from "../domain/hives/locale.ts";
import { slugPattern } from "../domain/names.ts";
import { abilities, reviewRules } from "../domain/access/token.ts";
import { listOf, named, text } from "./objects.ts";

export const slugField = text.meta({ pattern: slugPattern.source });
export const displayName = text.meta({ minLength: 1, maxLength: maxNameLength });
export const localeCode = text.meta({ pattern: "^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$", examples: ["pt-BR"] });
export const customCodeField = text.meta({ pattern: customCodePattern.source, examples: ["pt_BR"] });

/** A locale in a request: its BCP 47 code, and the code that the app uses if it is another. */
export const localeBody = named("NewLocale", { code: localeCode, custom_code: customCodeField.nullish() });

export function hasMember(body: object): boolean {
  return Object.values(body).some((value) => value !== undefined);
}

export const abilityList = listOf(z.enum(abilities, `must be ${abilities.join(", ")}`));
export const hivesOrAll = z.union(
  [z.literal("all"), listOf(slugField).meta({ minItems: 1 })],
  "must be all or a list of slugs",
);
export const localeList = listOf(localeCode, { max: maxLocales });
export const reviewRule = z.enum(reviewRules, `must be ${reviewRules.join(" or ")}`);

/** What a token or a person may do. */
export const grantedRights = {
  abilities: z.array(z.enum(abilities)),
  hives: z.union([z.literal("all"), z.array(z.string())]),
  locales: z
    .array(z.string())
    .nullable()
    .meta({ description: "The target locales into which may be written; `null` for no limit." }),
  review: z.enum(reviewRules).nullable().meta({
    description: "Whether written translations wait for a review; `null` for those of models.",
  }),
};

/** The fields of {@link grantedRights} in forms. */
export const rightsFields = {
  abilities: { options: "abilities", initial: "read" },
  hives: { options: "hives" },
  locales: { options: "locales", placeholder: "fr, pt-BR" },
  review: { options: "reviews", none: "rights-fields.if_a_model_has_made" },
} as const;

/** A parameter of requests that may delete source strings. */
export const deletionLimit = z
  .string("must be given once")
  .regex(/^[0-9]+$/, "must be a whole number")
  .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
  .optional()
  .meta({
    type: "integer",
    minimum: 0,
    pattern: undefined,
    description:
      "How many source strings this request may delete; if not given, the limit in the Hive's settings applies.",
  });
