/**
 * The settings of a Hive, in sections: in general, its languages, its checks and its files. Most forms are those of declared
 * operations.
 */
import type { Child } from "hono/jsx";
import { syntaxNames } from "../../../domain/checks/syntax-names.ts";
import { formatNames } from "../../../domain/files/file-formats.ts";
import { invalid } from "../../../domain/errors.ts";
import { codesWrittenLike } from "../../../domain/hives/code-style.ts";
import { localesOf, shownCodes, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { encode } from "../../../domain/json-codec.ts";
import { managedHive } from "../../../api/hives.ts";
import { locale as localeAnswer } from "../../../api/locales.ts";
import { deleteHive, describeHive } from "../../../service/admin/hives.ts";
import { listWorldLocales, removeFile } from "../../../service/admin/locales.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { hiveOperations, toManagedHive } from "../../operations/hives.ts";
import { toLocaleAnswer } from "../../operations/locale-rules.ts";
import { localeOperations } from "../../operations/locales.ts";
import { offersOf, type Entity, type Offers } from "../parts/member-fields.ts";
import { Listing, hivePage } from "../parts/navigation.tsx";
import {
  editedBy,
  hiveOperationForms,
  OperationButtons,
  OperationForm,
  OperationSwitch,
} from "../parts/operation-form.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { Code } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import type { FormState } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { undoOnMain } from "../requests/undoable.ts";
import { comma, compareNames, isInEnglish, languageName, t } from "../texts/texts.ts";

/** How many files are listed. */
const maxFiles = 500;

/** The sections with the settings that each has a form for. */
const sections = {
  general: ["name", "max_deletions", "push", "glossary", "engines"],
  languages: [],
  checks: ["checks"],
  files: ["plurals"],
} as const;
type Section = keyof typeof sections;

function isSection(name: string): name is Section {
  return name in sections;
}

function sectionPage(request: HiveRequest, section: Section, body: Child): View {
  const { hiveLink } = request;
  const names = Object.keys(sections).filter(isSection);
  return hivePage(
    request,
    "Settings",
    <>
      <nav aria-label={t("tab.Settings")}>
        <ul class="facts">
          {names.map((name) => (
            <li>
              <a href={hiveLink(["settings", name])} aria-current={name === section ? "page" : undefined}>
                {t(`settings.section_${name}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {body}
    </>,
    { title: t(`settings.section_${section}`) },
  );
}

/** The form of the settings of a section. Every branch uses the settings of main. */
async function rulesOf(
  request: HiveRequest,
  section: Section,
  submitted: FormState | undefined,
): Promise<Child> {
  const { entity, offers, members } = await rulesNow(request, section);
  return (
    <OperationForm
      page={rulesPage(section)}
      offers={offers}
      edited={entity}
      members={members}
      hints={{
        "checks.syntax": t("settings.one_of_the_last_pattern", { join: syntaxNames.join(comma()) }),
        "checks.formats": t("settings.one_of_the_last_pattern", { join: formatNames.join(comma()) }),
      }}
      submitted={submitted}
    />
  );
}

async function rulesNow({ storage, session, hive }: HiveRequest, section: Section) {
  const described = await describeHive(storage, hive.slug);
  const entity: Entity = { ...encode(managedHive, toManagedHive(hive.slug, described).result) };
  return { entity, offers: offersOf(session.caller), members: sections[section] };
}

function rulesPage(section: Section) {
  return { implemented: hiveOperations, path: `settings/${section}` };
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

async function general(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { slug } = request.hive;
  return sectionPage(
    request,
    "general",
    <>
      {await rulesOf(request, "general", submitted)}
      <PageForm
        of={deletion}
        submitted={submitted}
        fields={[{ name: "slug", label: t("settings.write_its_slug", { slug }), required: true }]}
      >
        <p>{t("settings.it_goes_with_its_texts")}</p>
      </PageForm>
    </>,
  );
}

async function checks(request: HiveRequest, submitted?: FormState): Promise<View> {
  return sectionPage(request, "checks", await rulesOf(request, "checks", submitted));
}

async function showFiles(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { files } = await hiveOutline(request.storage, request.hive.slug);
  return sectionPage(
    request,
    "files",
    <>
      <Files files={files} />
      {await rulesOf(request, "files", submitted)}
    </>,
  );
}

const languagesPage = { implemented: localeOperations, path: "settings/languages" };

/** More languages are folded, as the forms below them would be out of sight. */
const maxOpen = 30;

/** The language that the query names has its form in place of the one that adds one. */
async function languages(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, query } = request;
  const { settings } = await hiveOutline(storage, hive.slug);
  const change = submitted === undefined ? query["change"] : editedBy(submitted);
  const edited = localesOf(settings).find(({ code }) => code === change);
  const count = settings.targetLocales.length;
  const rows = <Languages settings={settings} />;
  return sectionPage(
    request,
    "languages",
    <>
      {count > maxOpen ? (
        <details>
          <summary>{t("count.locales", { count })}</summary>
          {rows}
        </details>
      ) : (
        rows
      )}
      <OperationForm
        page={languagesPage}
        offers={await offersWith(request, settings)}
        edited={edited && entityOf(edited)}
        title={edited && t("settings.change", { name: languageName(edited) })}
        submitted={submitted}
      />
    </>,
  );
}

async function offersWith({ session }: HiveRequest, settings: HiveSettings): Promise<Offers> {
  return { ...offersOf(session.caller), languages: await otherLanguages(settings) };
}

/** All languages that the server knows and the Hive does not have, by name. */
async function otherLanguages(settings: HiveSettings): Promise<readonly (readonly [string, string])[]> {
  const present = new Set<string>(localesOf(settings).map(({ code }) => code));
  return (
    (await listWorldLocales())
      .filter(({ code }) => !present.has(code))
      // What is typed may be a name in English, as the server knows it.
      .map(({ code, name }) => [code, isInEnglish() ? name : languageName({ code })] as const)
      .toSorted(([, a], [, b]) => compareNames(a, b))
  );
}

/**
 * A language that is written by its name has its code; one that the server knows has the code of the app as the Hive writes
 * these, if no other is written.
 */
async function completed(body: Entity, settings: HiveSettings): Promise<Entity> {
  const { code: said, custom_code: custom } = body;
  const text = String(said).toLowerCase();
  const known = (await listWorldLocales()).find(
    ({ code, name }) => code.toLowerCase() === text || name.toLowerCase() === text,
  );
  if (known === undefined) return body;
  const { code } = known;
  const own = codesWrittenLike(localesOf(settings).map(codeOf))(code);
  return { ...body, code, custom_code: custom ?? (own === code ? null : own) };
}

function entityOf(locale: Locale): Entity {
  return { ...encode(localeAnswer, toLocaleAnswer(locale)) };
}

function Languages({ settings }: { settings: HiveSettings }) {
  const { hiveLink } = useHive();
  const { sourceLocale } = settings;
  const shown = shownCodes(settings);
  return (
    <Listing
      columns={["language", "code", "code_of_the_app", "review"]}
      rows={localesOf(settings).map((locale) => {
        const name = languageName(locale);
        const entity = entityOf(locale);
        const isSource = locale === sourceLocale;
        const switches = ["review", "two_people"] as const;
        return {
          cells: [
            <>
              <a href={hiveLink(["strings"], { locale: codeOf(locale) })}>{name}</a>
              {isSource && <span class="soft"> {t("settings.source")}</span>}
              {locale.inherits !== undefined && (
                <span class="soft"> {t("settings.inherits", { from: shown(locale.inherits) })}</span>
              )}
              {locale.auto !== undefined && (
                <span class="soft"> {t("settings.auto", { engine: locale.auto.engine })}</span>
              )}
            </>,
            <code>{locale.code}</code>,
            locale.customCode === undefined ? t("settings.the_same") : <code>{locale.customCode}</code>,
            isSource ? (
              ""
            ) : (
              <div class="actions">
                {switches.map((member) => (
                  <OperationSwitch page={languagesPage} entity={entity} member={member} name={name} />
                ))}
              </div>
            ),
          ],
          action: (
            <OperationButtons
              page={languagesPage}
              entity={entity}
              name={name}
              without={[...switches, ...(isSource ? ["delete"] : [])]}
            />
          ),
        };
      })}
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

async function removeOneFile(request: HiveFormRequest): Promise<PageResult> {
  const { storage, hive, hiveLink, form, context } = request;
  // No limit: the user has confirmed the removal of the whole file, and can undo it.
  const unlimited = { ...context, maxDeletions: Infinity };
  const done = await removeFile(storage, hive.slug, form.text("file"), unlimited);
  return { to: hiveLink(["settings", "files"]), notice: "deleted", undo: undoOnMain(request, done) };
}

const path = "/hives/:slug/settings";
const ability = "admin";

/** The forms of the settings of a section. */
function rulesForms(section: Section, show: typeof general): readonly PageRoute[] {
  return hiveOperationForms({
    ...rulesPage(section),
    show,
    editing: (request) => rulesNow(request, section),
    done: (_, __, { hiveLink }) => Promise.resolve({ to: hiveLink(["settings", section]), notice: "saved" }),
  });
}

export const settingsPages: readonly PageRoute[] = [
  {
    kind: "hive",
    path,
    ability,
    handler: ({ hiveLink }) => Promise.resolve({ to: hiveLink(["settings", "general"]) }),
  },
  { kind: "hive", path: `${path}/general`, ability, handler: (request) => general(request) },
  { kind: "hive", path: `${path}/languages`, ability, handler: (request) => languages(request) },
  { kind: "hive", path: `${path}/checks`, ability, handler: (request) => checks(request) },
  { kind: "hive", path: `${path}/files`, ability, handler: (request) => showFiles(request) },
  ...rulesForms("general", general),
  ...rulesForms("checks", checks),
  ...rulesForms("files", showFiles),
  ...hiveOperationForms({
    ...languagesPage,
    show: languages,
    editing: async (request, change) => {
      const { settings } = await hiveOutline(request.storage, request.hive.slug);
      const locale = localesOf(settings).find(({ code }) => code === change);
      return locale && { entity: entityOf(locale), offers: await offersWith(request, settings) };
    },
    complete: async ({ verb }, body, { storage, hive }) =>
      verb === "create" ? completed(body, (await hiveOutline(storage, hive.slug)).settings) : body,
    done: ({ verb }, _, { hiveLink }) => {
      const notice = verb === "create" ? "created" : verb === "delete" ? "deleted" : "saved";
      return Promise.resolve({ to: hiveLink(["settings", "languages"]), notice });
    },
  }),
  hiveForm(deletion, general),
  { kind: "hive-form", ability, path: `${path}/files/remove`, handler: removeOneFile },
];
