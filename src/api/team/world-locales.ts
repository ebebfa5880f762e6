/** All known locales. */
import { z } from "zod";
import { named } from "../objects.ts";
import { operations } from "../operation.ts";

const worldLocale = named("WorldLocale", {
  code: z.string(),
  name: z.string(),
  region: z.string().meta({
    description: "The country in the code, as ISO 3166 names it; empty if the code names none.",
  }),
  rtl: z.boolean().meta({ description: "Whether it is written from right to left." }),
  is_popular: z.boolean().meta({
    description:
      "Whether software is commonly translated into it: at least five million people use it, and CLDR covers it fully. If its code has a region, its language must be official there.",
  }),
});

export const worldLocales = operations(
  {
    noun: "known locale",
    about: "List all known locales.",
    path: "/api/locales",
    key: "code",
    names: "code",
    entity: worldLocale,
    label: "name",
    group: "Hives",
    ability: "read",
    columns: ["code", "name", "region"],
  },
  (op) => ({
    listLocales: op.viewAt("list", "/api/locales", {
      summary: "List all known locales",
      description:
        "The locales that the Unicode CLDR has data for, and common short codes such as `zh-TW`. A Hive may have other locales too.",
      response: named("WorldLocaleList", { locales: z.array(worldLocale) }),
    }),
  }),
);
