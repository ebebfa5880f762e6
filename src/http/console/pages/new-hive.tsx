/** Creating a Hive. */
import { localeFrom, type Locale } from "../../../domain/hives/locale.ts";
import { toHiveSlug } from "../../../domain/names.ts";
import { createHive } from "../../../service/admin/hives.ts";
import { PageForm, teamForm, type FormField, type TeamForm } from "../parts/page-form.tsx";
import type { FormState } from "../requests/form-state.ts";
import { manageTeam } from "../requests/manage.ts";
import type { PageRoute, SignedInRequest, View } from "../requests/page.ts";

const newHive: TeamForm = {
  path: "new-hive",
  button: "Create",
  take: async ({ form, ...request }) => {
    const { grant, context } = manageTeam(request, true);
    const slug = toHiveSlug(form.word("slug") ?? "");
    const hive = {
      slug,
      team: grant.team,
      name: form.word("name"),
      sourceLocale: localeIn(form.word("source_locale") ?? "", "source_locale"),
      targetLocales: (form.words("locales") ?? []).map((word) => localeIn(word, "locales")),
    };
    await createHive(request.storage, hive, context);
    return { to: request.link(["hives", slug]), notice: "created" };
  },
};

const appCodeHint =
  "Codes with commas between them; after “=” the code that the app uses, where it is another.";
const fields: readonly FormField[] = [
  {
    name: "slug",
    label: "Slug",
    required: true,
    placeholder: "web-shop",
    hint: "It is in addresses, and stays.",
  },
  { name: "name", label: "Name", placeholder: "Web shop" },
  { name: "source_locale", label: "Language of the source texts", value: "en" },
  {
    name: "locales",
    label: "Languages to translate into",
    placeholder: "fr, pt-BR=pt_BR",
    hint: appCodeHint,
  },
];

async function show(request: SignedInRequest, submitted?: FormState): Promise<View> {
  manageTeam(request, true);
  const body = <PageForm of={newHive} request={request} submitted={submitted} fields={fields} />;
  return { title: "New Hive", above: [], body };
}

/** A locale as `pt-BR`, or with a code of the app as `pt-BR=pt_BR`. */
export function localeIn(text: string, field: string): Locale {
  const [code = "", custom] = text.split("=", 2);
  return localeFrom(code, custom, { code: field, customCode: field });
}

export const newHivePages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/new-hive", handler: (request) => show(request) },
  teamForm(newHive, show),
];
