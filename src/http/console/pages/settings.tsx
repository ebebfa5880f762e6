/** The settings of a Hive: its name and rules, its locales and files, and its deletion. */
import { toHiveSlug } from "../../../domain/names.ts";
import {
  checkLevels,
  defaultChecks,
  toSyntaxRule,
  type CheckLevel,
} from "../../../domain/checks/check-settings.ts";
import { syntaxNames } from "../../../domain/checks/syntax-names.ts";
import { invalid } from "../../../domain/errors.ts";
import {
  localesOf,
  pluralModes,
  pushPolicies,
  type HiveSettings,
} from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { updateHive } from "../../../service/admin/hive-settings.ts";
import { deleteHive } from "../../../service/admin/hives.ts";
import { addLocales, removeFile, changeLocale, removeLocale } from "../../../service/admin/locales.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { hiveBody } from "../../schemas/management-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { languageName } from "../parts/languages.ts";
import { Listing } from "../parts/listing.tsx";
import { hivePage } from "../parts/navigation.ts";
import { hiveForm, PageForm, type FormField, type HiveForm } from "../parts/page-form.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { Code } from "../parts/text.tsx";
import type { FormState } from "../requests/form-state.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { figure } from "../requests/reader.ts";
import { localeIn } from "./new-hive.tsx";

/** How many files are listed. */
const maxFiles = 500;

const pluralNames: Readonly<Record<(typeof pluralModes)[number], string>> = {
  auto: "keys such as item_one, and groups with keys such as one",
  i18next: "keys such as item_one",
  nested: "groups with keys such as one",
  none: "none are recognised",
};
const pushNames: Readonly<Record<(typeof pushPolicies)[number], string>> = {
  branches: "all branches but main",
  all: "all branches",
  none: "none",
};
const levelNames: Readonly<Record<CheckLevel, string>> = {
  off: "are not looked for",
  warn: "are told about",
  refuse: "are refused",
};

const rules: HiveForm = {
  path: "settings",
  button: "Save",
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
    const { max_deletions: max, glossary: slug, ...wanted } = check(hiveBody, body, "form");
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

function ruleFields({
  name,
  maxDeletions,
  plurals,
  push,
  checks = defaultChecks,
  glossary,
}: HiveSettings): FormField[] {
  return [
    { name: "name", label: "Name", value: name, required: true },
    {
      name: "max_deletions",
      label: "How many source strings one request may delete",
      type: "number",
      value: maxDeletions?.toString(),
      hint: "Empty for no limit.",
    },
    {
      kind: "one",
      name: "plurals",
      label: "Plural forms",
      value: plurals ?? "auto",
      options: pluralModes.map((mode) => [mode, pluralNames[mode]]),
    },
    {
      kind: "one",
      name: "push",
      label: "Git may push to",
      value: push ?? "branches",
      options: pushPolicies.map((policy) => [policy, pushNames[policy]]),
    },
    {
      kind: "one",
      name: "checks",
      label: "Texts that would break the app",
      value: checks.level,
      options: checkLevels.map((level) => [level, levelNames[level]]),
    },
    {
      name: "syntax",
      label: "Syntax of messages in files",
      value: checks.syntax.map(({ files, syntax }) => `${files}=${syntax}`).join(" "),
      placeholder: "*.json=icu",
      hint: `One of ${syntaxNames.join(", ")}. The last pattern that matches counts.`,
    },
    {
      name: "glossary",
      label: "Also use the glossary of the Hive",
      value: glossary,
      hint: "A Hive of the team with the same source language. Terms of this Hive come first.",
    },
  ];
}

/** Adds a language, or changes the app's code for one. */
const language: HiveForm = {
  path: "settings/locales",
  button: "Save",
  ability: "admin",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const locale = localeIn(form.word("locale") ?? "", "locale");
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

const deletion: HiveForm = {
  path: "settings/delete",
  button: "Delete this Hive",
  isDangerous: true,
  ability: "admin",
  take: async ({ storage, hive, link, form, context }) => {
    if (form.word("slug") !== hive.slug) throw invalid("slug", "is not the slug of this Hive");
    await deleteHive(storage, hive.slug, context);
    return { to: link([]), notice: "hive-deleted" };
  },
};

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive } = request;
  // Every branch uses the settings of main.
  const { settings, files } = await hiveOutline(storage, hive.slug);
  const form = { request, submitted };
  return hivePage(
    request,
    "Settings",
    <div class="columns">
      <div>
        <h2>Languages</h2>
        <Locales request={request} settings={settings} />
        <PageForm
          of={language}
          {...form}
          fields={[
            {
              name: "locale",
              label: "Add a language, or change its code",
              required: true,
              placeholder: "pt-BR",
              hint: "After “=” the code that the app uses, where it is another: pt-BR=pt_BR.",
            },
            {
              kind: "one",
              name: "review",
              label: "Texts that wait for a review",
              options: [
                ["", "as it is"],
                ["all", "all, whoever writes them"],
                ["writer", "those of reviewed writers"],
              ],
            },
            {
              kind: "one",
              name: "two_people",
              label: "Who approves",
              options: [
                ["", "as it is"],
                ["yes", "another than the writer"],
                ["no", "the writer, too"],
              ],
            },
          ]}
        />
        <h2>Files</h2>
        <Files request={request} files={files} />
      </div>
      <div>
        <h2>This Hive</h2>
        <PageForm of={rules} {...form} fields={ruleFields(settings)} />
        <h2>Delete it</h2>
        <PageForm
          of={deletion}
          {...form}
          fields={[{ name: "slug", label: `Write its slug, ${hive.slug}, to delete it`, required: true }]}
        >
          <p>It goes with its texts and its history, and can be restored for 30 days.</p>
        </PageForm>
      </div>
    </div>,
  );
}

function Locales({ request, settings }: { readonly request: HiveRequest; readonly settings: HiveSettings }) {
  const { sourceLocale } = settings;
  return (
    <Listing
      columns={["Language", "Code", "Code of the app", "Review"]}
      rows={localesOf(settings).map((locale) => ({
        cells: [
          <>
            {languageName(locale)}
            {locale === sourceLocale && <span class="soft"> (source)</span>}
          </>,
          <code>{locale.code}</code>,
          locale.customCode === undefined ? "the same" : <code>{locale.customCode}</code>,
          [
            ...(locale.review === undefined ? [] : ["all texts"]),
            ...(locale.twoPeople === undefined ? [] : ["two people"]),
          ].join(", "),
        ],
        action: locale === sourceLocale ? <span /> : <LocaleRemoval request={request} locale={locale} />,
      }))}
    />
  );
}

function LocaleRemoval({ request, locale }: { readonly request: HiveRequest; readonly locale: Locale }) {
  const name = languageName(locale);
  return (
    <Confirm
      session={request.session}
      to={request.hiveLink(["settings", "locales", "remove"])}
      label="Remove…"
      what={name}
      button={`Remove ${name}`}
      fields={{ locale: codeOf(locale) }}
    >
      <p>All its translations go, by one commit. Undoing that brings them back, once it is added again.</p>
    </Confirm>
  );
}

function Files({ request, files }: { readonly request: HiveRequest; readonly files: readonly string[] }) {
  const { session, hiveLink } = request;
  if (files.length === 0) return <p>There is none yet.</p>;
  return (
    <>
      <Listing
        columns={["File"]}
        rows={files.slice(0, maxFiles).map((file) => ({
          cells: [
            <a href={hiveLink(["strings"], { file })}>
              <Code name={file} />
            </a>,
          ],
          action: (
            <Confirm
              session={session}
              to={hiveLink(["settings", "files", "remove"])}
              label="Remove…"
              what={file}
              button="Remove the file"
              fields={{ file }}
            >
              <p>Its strings and their translations go, by one commit that can be undone.</p>
            </Confirm>
          ),
        }))}
      />
      {files.length > maxFiles && <p>… and {figure(files.length - maxFiles)} more.</p>}
    </>
  );
}

async function removeOneLocale(request: HiveFormRequest): Promise<PageResult> {
  await removeLocale(request.storage, request.hive.slug, request.form.text("locale"), request.context);
  return { to: request.hiveLink(["settings"]), notice: "deleted" };
}

async function removeOneFile({
  storage,
  hive,
  hiveLink,
  form,
  context,
}: HiveFormRequest): Promise<PageResult> {
  // No limit: the user has confirmed the removal of the whole file, and can undo it.
  await removeFile(storage, hive.slug, form.text("file"), { ...context, maxDeletions: Infinity });
  return { to: hiveLink(["settings"]), notice: "deleted" };
}

const path = "/hives/:slug/settings";
const kind = "hive-form";
const ability = "admin";

export const settingsPages: readonly PageRoute[] = [
  { kind: "hive", path, ability, handler: (request) => show(request) },
  ...[rules, language, deletion].map((form) => hiveForm(form, show)),
  { kind, ability, path: `${path}/locales/remove`, handler: removeOneLocale },
  { kind, ability, path: `${path}/files/remove`, handler: removeOneFile },
];
