/** The locales of a Hive. */
import { z } from "zod";
import { reviewRules } from "../domain/access/token.ts";
import { jobWants, usualRuleWant } from "../domain/hives/locale-rule.ts";
import { customCodeField, hasMember, localeBody } from "./management.ts";
import { allOf, count, jsonObject, listOf, named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

/** A locale in an answer. */
export const locale = named("Locale", {
  code: z.string(),
  custom_code: nullableText,
  review: z.literal("all").nullable(),
  two_people: z.boolean(),
  inherits: nullableText.meta({
    description: "The target locale whose texts stand where this one has none, by its canonical code.",
  }),
  auto: named("LocaleRule", {
    engine: z.string(),
    want: z.array(z.enum(jobWants)),
    branches: z.boolean(),
    review: z.enum(reviewRules).nullable(),
  })
    .nullable()
    .meta({ description: "What an engine translates by itself; `null` for nothing." }),
});

/** A locale of a list, in which the source locale is the first. */
const hiveLocale = locale.extend({ is_source: z.boolean() }).meta({ id: "HiveLocale" });

export const hiveLocales = allOf("HiveLocaleList", hiveLocale);

export const localeRemoved = named("LocaleRemovalResult", { translations_deleted: count });

const inherits = text
  .nullable()
  .optional()
  .meta({
    description:
      "The target locale, by any of its codes, whose texts stand where this one has none, such as `de` for `de-AT`; `null` for none. Up to three locales inherit one from the other.",
    examples: ["de"],
  });

const newLocale = localeBody.extend({ inherits }).meta({ id: "NewHiveLocale" });

/** The rule of a locale in a request. */
export const localeRuleChange = named("LocaleRuleChange", {
  engine: text.nullable().meta({
    description: "The engine of the team that translates by itself; `null` ends that.",
    examples: ["mistral"],
  }),
  want: listOf(z.enum(jobWants, `must be one of ${jobWants.join(", ")}`), { max: jobWants.length })
    .optional()
    .meta({
      default: usualRuleWant,
      description:
        "Which strings it translates: `missing`, `stale` or `failing`. Texts of people and approved ones are never replaced.",
    }),
  branches: z
    .boolean("must be true or false")
    .optional()
    .meta({ description: "Whether branches are translated, too." }),
  review: z
    .enum(reviewRules, `must be ${reviewRules.join(" or ")}, or null`)
    .nullable()
    .optional()
    .meta({
      description:
        "Whether its texts wait for a review; `null` for what is usual of models, which is always.",
    }),
});

const localeChange = jsonObject({
  custom_code: customCodeField.nullable().optional().meta({ description: "`null` removes the custom code." }),
  review: z.literal("all", "must be all or null").nullable().optional().meta({
    description:
      "With `all`, every text that is written waits for a review, whoever writes it; with `null`, the writer's token decides.",
  }),
  two_people: z
    .boolean("must be true or false")
    .optional()
    .meta({ description: "Whether nobody may approve their own text." }),
  inherits,
  auto: localeRuleChange.nullable().optional().meta({
    description:
      "What an engine translates by itself, soon after the source strings have changed; `null` for nothing. It begins with what is there.",
  }),
})
  .refine(hasMember, {
    path: ["custom_code"],
    message: "must be given, or review, two_people, inherits or auto",
  })
  .meta({ id: "LocaleUpdate", minProperties: 1 });

export const locales = operations(
  {
    noun: "locale",
    about: "Create, change, list and delete locales of a Hive.",
    path: "/api/hives/:slug/locales",
    key: "locale",
    names: "code",
    entity: hiveLocale,
    label: "custom_code",
    group: "Management",
    ability: "admin",
    hasCommit: true,
    columns: ["code", "custom_code", "is_source", "review", "two_people", "inherits", "auto"],
  },
  (op) => ({
    listHiveLocales: op.listAll({
      summary: "List the locales of a Hive",
      description: "The source locale comes first.",
      response: hiveLocales,
    }),
    addLocale: op.create({
      summary: "Add a target locale",
      description:
        "An outdated code, such as `tl` for `fil`, is replaced by its current one, and kept as the custom code unless another custom code is given; requests find the locale by all of these codes. Two codes for one locale, a custom code that is the code of another locale, and names of Windows devices (`con`, `aux`, `nul`, `prn`) are a 422.",
      body: newLocale,
      example: { code: "pt-BR", custom_code: "pt_BR" },
      response: locale,
      command: {
        args: ["code"],
        members: {
          code: { help: "the BCP 47 code, such as pt-BR" },
          custom_code: { help: "the code that the app uses, if it is another, such as pt_BR" },
        },
        help: `An outdated code, such as tl for fil, becomes the custom code of its current one, unless another
is given. Files and requests may name a locale by any of its codes.`,
      },
      form: {
        title: "settings.add_a_language",
        button: "common.add",
        fields: { code: { suggests: "languages" }, custom_code: {} },
      },
    }),
    changeLocale: op.edit({
      summary: "Change a locale",
      description:
        "Members that are not given stay as they are. The source locale may have a custom code too, and no review.",
      body: localeChange,
      example: { custom_code: "pt_BR" },
      response: locale,
      command: {
        members: {
          "auto.engine": { flag: "auto" },
          "auto.want": { flag: "auto-want" },
          "auto.branches": { flag: "auto-branches" },
          "auto.review": { flag: "auto-review" },
        },
      },
      form: {
        title: "common.change",
        button: "common.save",
        members: ["custom_code", "inherits", "auto"],
        switches: [
          { member: "review", value: "all", button: "settings.all_texts" },
          { member: "review", value: null, button: "settings.all_texts" },
          { member: "two_people", value: true, button: "settings.two_people" },
          { member: "two_people", value: false, button: "settings.two_people" },
        ],
      },
    }),
    removeLocale: op.delete({
      summary: "Remove a locale and its translations",
      description:
        "A locale that others inherit from is a 409. Makes one commit. Undoing it restores the translations, once the locale has been added again.",
      response: localeRemoved,
      errors: ["conflict"],
      command: {
        was: "remove",
        wasAsked: true,
        done: "Deleted the locale {id}{place}. Translations deleted with it: {translations_deleted}.",
      },
      form: { button: "common.remove_2", confirms: true },
    }),
  }),
);
