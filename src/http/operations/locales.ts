/** What the operations of locales do. */
import { locales } from "../../api/locales.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { toLocaleAnswer, toRule } from "./locale-rules.ts";
import { localeFrom, toCustomCode } from "../../domain/hives/locale.ts";
import { describeHive } from "../../service/admin/hives.ts";
import { addLocales, changeLocale, removeLocale } from "../../service/admin/locales.ts";
import { headsAt } from "../../service/content/queries.ts";
import { implementOnHive } from "./implement.ts";

export const localeOperations = implementOnHive(locales, {
  listHiveLocales: async ({ storage, hive: { slug } }) => {
    const { settings, commit } = await describeHive(storage, slug);
    const read = () => ({
      data: localesOf(settings).map((locale) =>
        Object.assign(toLocaleAnswer(locale), { isSource: locale === settings.sourceLocale }),
      ),
    });
    return { ...headsAt(slug, commit, commit), version: commit, read };
  },
  addLocale: async ({ storage, hive, body: { code, custom_code: custom, inherits }, context }) => {
    const locale = localeFrom(code, custom ?? undefined, { code: "code", customCode: "custom_code" });
    const given = { ...locale, from: inherits ?? undefined };
    const { result, commit } = await addLocales(storage, hive.slug, [given], context, "code");
    return { result: toLocaleAnswer(result[0] ?? locale), commit };
  },
  changeLocale: async ({ storage, hive, param, body, context }) => {
    const { custom_code: text, review, two_people: twoPeople, inherits, auto } = body;
    const field = "custom_code";
    const customCode = typeof text === "string" ? toCustomCode(text, field) : text;
    const change = { customCode, review, twoPeople, inherits, auto: auto && toRule(auto) };
    const code = param("locale");
    const { result, commit } = await changeLocale(storage, hive.slug, code, change, context, field);
    return { result: toLocaleAnswer(result), commit };
  },
  removeLocale: async ({ storage, hive, param, context }) => {
    const { result, commit } = await removeLocale(storage, hive.slug, param("locale"), context);
    return { result: { translationsDeleted: result.translations }, commit };
  },
});
