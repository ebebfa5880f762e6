/** Creating a Hive, and its settings: its name and rules, its locales and files, and its deletion. */
import { useHive } from "../requests/context.tsx";
import { toHiveSlug } from "../../../domain/names.ts";
import { checkLevels, defaultChecks, toSyntaxRule } from "../../../domain/checks/check-settings.ts";
import { syntaxNames } from "../../../domain/checks/syntax-names.ts";
import { invalid } from "../../../domain/errors.ts";
import {
  localesOf,
  pluralModes,
  pushPolicies,
  type HiveSettings,
} from "../../../domain/hives/hive-settings.ts";
import { codesWrittenLike } from "../../../domain/hives/code-style.ts";
import { codeOf, formatLocale, localeFrom, type Locale } from "../../../domain/hives/locale.ts";
import { updateHive, deleteHive, createHive } from "../../../service/admin/hives.ts";
import {
  addLocales,
  changeLocale,
  listWorldLocales,
  removeFile,
  removeLocale,
} from "../../../service/admin/locales.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { hiveChange } from "../../../api/hives.ts";
import { check } from "../../schemas/schemas.ts";
import { languageName } from "../parts/languages.ts";
import { Listing, hivePage } from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { localeOption, type FormField } from "../parts/fields.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { Code } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type {
  HiveFormRequest,
  HiveRequest,
  PageResult,
  PageRoute,
  View,
  TeamRequest,
} from "../requests/page.ts";
import { t } from "../texts/texts.ts";

/** How many files are listed. */
const maxFiles = 500;

const rules: HiveForm = {
  path: "settings",
  title: "settings.this_hive",
  button: "common.save",
  ability: "admin",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const limit = form.word("max_deletions");
    const body = {
      name: form.text("name"),
      max_deletions: limit === undefined ? null : Number(limit),
      plurals: form.text("plurals"),
      push: form.text("push"),
      glossary: form.word("glossary") ?? null,
    };
    const { max_deletions: max, glossary: slug, ...wanted } = check(hiveChange, body, "form");
    const level = checkLevels.find((one) => one === form.text("checks"));
    const syntax = (form.words("syntax") ?? []).map((word) => {
      const [files = "", name = ""] = word.split("=", 2);
      return toSyntaxRule(files, name, "syntax");
    });
    const glossary = typeof slug === "string" ? toHiveSlug(slug, "glossary") : null;
    const change = { ...wanted, glossary, maxDeletions: max ?? ("none" as const), checks: { level, syntax } };
    await updateHive(storage, hive.slug, change, context);
    return { to: hiveLink(["settings"]), notice: "saved" };
  },
};

function ruleFields({ name, maxDeletions, checks = defaultChecks, ...settings }: HiveSettings): FormField[] {
  const { plurals = "auto", push = "branches", glossary } = settings;
  const { level, syntax } = checks;
  return [
    { name: "name", value: name, required: true },
    { name: "max_deletions", type: "number", value: maxDeletions?.toString() },
    { kind: "one", name: "plurals", value: plurals, options: pluralModes },
    { kind: "one", name: "push", value: push, options: pushPolicies },
    { kind: "one", name: "checks", value: level, options: checkLevels },
    {
      name: "syntax",
      value: syntax.map((rule) => `${rule.files}=${rule.syntax}`).join(" "),
      placeholder: "*.json=icu",
      hint: t("settings.one_of_the_last_pattern", { join: syntaxNames.join(", ") }),
    },
    { name: "glossary", value: glossary },
  ];
}

/** Adds a language, or changes the app's code for one. */
const language: HiveForm = {
  path: "settings/locales",
  button: "common.save",
  ability: "admin",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const written = form.word("code");
    const locale =
      written === undefined ? localeIn(form.word("locale") ?? "", "locale") : localeIn(written, "code");
    const { settings } = await hiveOutline(storage, hive.slug);
    const [review, twoPeople] = [form.word("review"), form.word("two_people")];
    if (localesOf(settings).some(({ code }) => code === locale.code)) {
      const change = {
        customCode: locale.customCode ?? ((review ?? twoPeople) === undefined ? null : undefined),
        review: review === "writer" ? null : review === "all" ? ("all" as const) : undefined,
        twoPeople: twoPeople === undefined ? undefined : twoPeople === "yes",
      };
      await changeLocale(storage, hive.slug, locale.code, change, context);
    } else {
      const reviewed = {
        review: review === "all" ? ("all" as const) : undefined,
        twoPeople: twoPeople === "yes" ? (true as const) : undefined,
      };
      await addLocales(storage, hive.slug, [{ ...locale, ...reviewed }], context);
    }
    return { to: hiveLink(["settings"]), notice: "saved" };
  },
};

/** The languages of the Hive, which may be changed, and all others that the server knows, in the way the Hive writes codes. */
async function languageFields(settings: HiveSettings): Promise<readonly FormField[]> {
  const { targetLocales } = settings;
  const present = new Set<string>(localesOf(settings).map(({ code }) => code));
  const written = codesWrittenLike(localesOf(settings).map(codeOf));
  const others = (await listWorldLocales())
    .filter(({ code }) => !present.has(code))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
    .map(({ code, name }) => {
      const own = written(code);
      return [own === code ? code : `${code}=${own}`, `${name} (${own})`] as const;
    });
  return [
    {
      kind: "one",
      name: "locale",
      all: t("settings.choose_a_language"),
      options: [
        ...targetLocales.map((locale) => [formatLocale(locale), localeOption(locale)[1]] as const),
        ...others,
      ],
    },
    { name: "code", placeholder: "pt-BR=pt_BR" },
    { kind: "one", name: "review", all: t("settings.as_it_is"), options: ["all", "writer"] },
    { kind: "one", name: "two_people", all: t("settings.as_it_is"), options: ["yes", "no"] },
  ];
}

const deletion: HiveForm = {
  path: "settings/delete",
  title: "settings.delete_it",
  button: "settings.delete_this_hive",
  isDangerous: true,
  ability: "admin",
  take: async ({ storage, hive, link, form, context }) => {
    if (form.word("slug") !== hive.slug) throw invalid("slug", "is not the slug of this Hive");
    await deleteHive(storage, hive.slug, context);
    return { to: link([]), notice: "hive-deleted" };
  },
};

/** More languages are folded, as the forms below them would be out of sight. */
const maxOpen = 30;

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive } = request;
  // Every branch uses the settings of main.
  const { settings, files } = await hiveOutline(storage, hive.slug);
  return hivePage(
    request,
    "Settings",
    <div class="columns">
      <div>
        <h2>{t("common.languages")}</h2>
        {settings.targetLocales.length > maxOpen ? (
          <details>
            <summary>{t("count.locales", { count: settings.targetLocales.length })}</summary>
            <Locales settings={settings} />
          </details>
        ) : (
          <Locales settings={settings} />
        )}
        <PageForm of={language} submitted={submitted} fields={await languageFields(settings)} />
        <h2>{t("common.files")}</h2>
        <Files files={files} />
      </div>
      <div>
        <PageForm of={rules} submitted={submitted} fields={ruleFields(settings)} />
        <PageForm
          of={deletion}
          submitted={submitted}
          fields={[
            { name: "slug", label: t("settings.write_its_slug", { slug: hive.slug }), required: true },
          ]}
        >
          <p>{t("settings.it_goes_with_its_texts")}</p>
        </PageForm>
      </div>
    </div>,
  );
}

function Locales({ settings }: { settings: HiveSettings }) {
  const { hiveLink } = useHive();
  const { sourceLocale } = settings;
  return (
    <Listing
      columns={["language", "code", "code_of_the_app", "review"]}
      rows={localesOf(settings).map((locale) => ({
        cells: [
          <>
            <a href={hiveLink(["strings"], { locale: codeOf(locale) })}>{languageName(locale)}</a>
            {locale === sourceLocale && <span class="soft"> {t("settings.source")}</span>}
          </>,
          <code>{locale.code}</code>,
          locale.customCode === undefined ? t("settings.the_same") : <code>{locale.customCode}</code>,
          [
            ...(locale.review === undefined ? [] : [t("settings.all_texts")]),
            ...(locale.twoPeople === undefined ? [] : [t("settings.two_people")]),
          ].join(", "),
        ],
        action:
          locale === sourceLocale ? (
            <span />
          ) : (
            <Confirm
              of="settings/locales/remove"
              what={languageName(locale)}
              hidden={{ locale: codeOf(locale) }}
            />
          ),
      }))}
    />
  );
}

function Files({ files }: { files: readonly string[] }) {
  const { hiveLink } = useHive();
  if (files.length === 0) return <p>{t("settings.files_come_with")}</p>;
  return (
    <>
      <Listing
        columns={["file"]}
        rows={files.slice(0, maxFiles).map((file) => ({
          cells: [<Code name={file} href={hiveLink(["strings"], { file })} />],
          action: (
            <Confirm
              of="settings/files/remove"
              what={file}
              button={t("settings.remove_the_file")}
              hidden={{ file }}
            />
          ),
        }))}
      />
      {files.length > maxFiles && <p>{t("settings.and_more", { files: files.length - maxFiles })}</p>}
    </>
  );
}

async function removeOneLocale(request: HiveFormRequest): Promise<PageResult> {
  await removeLocale(request.storage, request.hive.slug, request.form.text("locale"), request.context);
  return { to: request.hiveLink(["settings"]), notice: "deleted" };
}

async function removeOneFile(request: HiveFormRequest): Promise<PageResult> {
  const { storage, hive, hiveLink, form, context } = request;
  // No limit: the user has confirmed the removal of the whole file, and can undo it.
  await removeFile(storage, hive.slug, form.text("file"), { ...context, maxDeletions: Infinity });
  return { to: hiveLink(["settings"]), notice: "deleted" };
}

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

const path = "/hives/:slug/settings";
const kind = "hive-form";
const ability = "admin";

export const settingsPages: readonly PageRoute[] = [
  { kind: "hive", path, ability, handler: (request) => show(request) },
  ...[rules, language, deletion].map((form) => hiveForm(form, show)),
  { kind, ability, path: `${path}/locales/remove`, handler: removeOneLocale },
  { kind, ability, path: `${path}/files/remove`, handler: removeOneFile },
  { kind: "team", path: "/new-hive", needs, handler: (request) => showNew(request) },
  teamForm(newHive, showNew),
];
