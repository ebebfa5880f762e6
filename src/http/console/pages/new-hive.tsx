/** Creating a Hive. */
import { toHiveSlug } from "../../../domain/names.ts";
import { localeFrom, type Locale } from "../../../domain/hives/locale.ts";
import { createHive } from "../../../service/admin/hives.ts";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const needs = "admin-of-all-hives";

const newHive: TeamForm = {
  path: "new-hive",
  fields: () => [
    { name: "slug", required: true, placeholder: "web-shop" },
    { name: "name", placeholder: "Web shop" },
    { name: "source_locale", value: "en" },
    { name: "locales", placeholder: "fr, pt-BR=pt_BR" },
  ],
  button: "common.create",
  needs,
  take: async ({ storage, grant, context, link, form }) => {
    const slug = toHiveSlug(form.word("slug") ?? "");
    const hive = {
      slug,
      team: grant.team,
      name: form.word("name"),
      sourceLocale: localeIn(form.word("source_locale") ?? "", "source_locale"),
      targetLocales: (form.words("locales") ?? []).map((word) => localeIn(word, "locales")),
    };
    await createHive(storage, hive, context);
    return { to: link(["hives", slug]), notice: "created" };
  },
};

async function showNew(_: TeamRequest, submitted?: FormState): Promise<View> {
  const body = <PageForm of={newHive} submitted={submitted} />;
  return { title: t("new-hive.new_hive"), above: [], body };
}

/** A locale as `pt-BR`, or with a code of the app as `pt-BR=pt_BR`. */
function localeIn(text: string, field: string): Locale {
  const [code = "", custom] = text.split("=", 2);
  return localeFrom(code, custom, { code: field, customCode: field });
}

export const newHivePages: readonly PageRoute[] = [
  { kind: "team", path: "/new-hive", needs, handler: (request) => showNew(request) },
  teamForm(newHive, showNew),
];
