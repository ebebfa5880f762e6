/** The glossary of a Hive, and the style of a locale: the terms with their translations into one locale, and their forms. */
import { useHive } from "../requests/context.tsx";
import { z } from "zod";
import type { SentTerm } from "../../../domain/glossary/glossary-plan.ts";
import { invalid } from "../../../domain/errors.ts";
import { matchKinds } from "../../../domain/glossary/searched-text.ts";
import type { Term } from "../../../domain/glossary/term.ts";
import { maxStyle } from "../../../domain/glossary/style.ts";
import { localeNamed, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import {
  changeTerms,
  deleteTerm,
  listTerms,
  termNamed,
  changeStyle,
  readStyle,
} from "../../../service/context/glossary.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { styleInForce } from "../../../service/terms.ts";
import type { StorageBase } from "../../../service/storage.ts";
import type { HiveSlug } from "../../../domain/names.ts";
import { toTerms } from "../../content/glossary.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import { ownLocalesFirst } from "../parts/languages.ts";
import { Listing, ListWithForm, mayWriteAll, Pager, hivePage } from "../parts/navigation.tsx";
import { FilterForm, hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { localeOptions, type FormField } from "../parts/fields.tsx";
import { Confirm, Unseen } from "../parts/post-form.tsx";
import { GlossaryFiles, glossaryFilePages } from "../glossary/files.tsx";
import { TermMeaning, TermTranslation } from "../glossary/terms.tsx";
import { Text } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type {
  HiveFormRequest,
  HiveRequest,
  PageResult,
  PageRoute,
  Redirect,
  View,
} from "../requests/page.ts";
import { savedNotice, undoOnMain, type Done } from "../requests/undoable.ts";
import { languageName, t } from "../texts/texts.ts";

const perPage = 100;
/** `locale` is the one whose translations are shown; `edit` is the id of the term whose form is open. */
const glossaryQuery = pageQuery.pick({ page: true }).extend({ search: once, locale: once, edit: once });

/** What a form leaves out of the page's query. */
const hiddenFields = z.object({ locale: once, edit: once });

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, query } = request;
  const given = submitted === undefined ? query : check(hiddenFields, submitted.values, "form");
  const { page, search, locale: code, edit } = check(glossaryQuery, given, "query");
  const paging = { page, per_page: perPage };
  const listed = await listTerms(storage, hive.slug, { ...toOffsetLimit(paging), search });
  const { entries: terms, total, settings } = await listed.read();
  const locale =
    (code === undefined ? undefined : localeNamed(settings, code)) ??
    ownLocalesFirst(request, settings.targetLocales)[0];
  const edited = edit === undefined ? undefined : await termNamed(storage, hive.slug, edit);
  const shown = { search, locale: locale && codeOf(locale) };
  const form = mayWriteAll(request) && (
    <>
      <h2 id="form">{edited === undefined ? t("glossary.add_a_term") : t("glossary.change_a_term")}</h2>
      <PageForm
        of={edited === undefined ? termForm : { ...termForm, button: "common.save" }}
        submitted={submitted}
        fields={termFields(edited, locale)}
        isChange={edited !== undefined}
        hidden={{ locale: shown.locale ?? "", ...(edit === undefined ? {} : { edit }) }}
      />
    </>
  );
  const isEmpty = total === 0 && search === undefined;
  const list = (
    <>
      <div id="terms">
        {total === 0 ? (
          <p>{t(isEmpty ? "glossary.there_is_no_term_yet" : "glossary.no_term_contains_that")}</p>
        ) : (
          <Listing
            columns={["term", "meaning"]}
            last={locale && languageName(locale)}
            rows={terms.map((term) => rowOf(request, term, settings, locale, shown))}
          />
        )}
        <Pager paging={paging} total={total} path={["glossary"]} query={shown} />
      </div>
      {edited === undefined && <GlossaryFiles isEmpty={isEmpty} submitted={submitted} />}
    </>
  );
  return hivePage(
    request,
    "Glossary",
    <>
      <FilterForm
        page={["glossary"]}
        live="terms"
        fields={[
          { name: "search", type: "search", value: search },
          ...(locale === undefined ? [] : [languageField(request, locale, settings)]),
        ]}
      />
      {settings.glossary !== undefined && (
        <p>{t("glossary.where_this_hive", { command: <code>{settings.glossary}</code> })}</p>
      )}
      {edited === undefined ? (
        <ListWithForm list={list} form={form} />
      ) : (
        <>
          {form}
          <h2>{t("common.terms")}</h2>
          {list}
        </>
      )}
      {locale !== undefined && (
        <Style
          locale={locale}
          submitted={submitted}
          text={await styleOf(request, codeOf(locale))}
          inForce={await styleInForce(storage, hive.slug, codeOf(locale))}
        />
      )}
    </>,
  );
}

function languageField(request: HiveRequest, locale: Locale, { targetLocales }: HiveSettings): FormField {
  const options = localeOptions(request, targetLocales);
  return { kind: "one", name: "locale", label: t("common.language"), value: codeOf(locale), options };
}

function rowOf(
  request: HiveRequest,
  term: Term,
  settings: HiveSettings,
  locale: Locale | undefined,
  shown: { readonly search?: string; readonly locale?: string },
) {
  const { hiveLink } = request;
  const { id, source } = term;
  return {
    cells: [
      <Text text={source} lang={settings.sourceLocale.code} needle={shown.search} />,
      <TermMeaning term={term} needle={shown.search} />,
      ...(locale === undefined
        ? []
        : [<TermTranslation term={term} locale={locale} needle={shown.search} />]),
    ],
    action: mayWriteAll(request) ? (
      <>
        <a href={hiveLink(["glossary"], { ...shown, edit: id })}>
          {t("common.change")} <Unseen name={source} />
        </a>
        <Confirm of="glossary/remove" what={source} hidden={{ id, locale: shown.locale ?? "" }} />
      </>
    ) : undefined,
  };
}

function termFields(term: Term | undefined, locale: Locale | undefined): FormField[] {
  const { source, meaning, partOfSpeech, match = "word", case: isExact, keep } = term ?? {};
  const { text, accepted, forbidden } = (locale && term?.translations.get(locale.code)) ?? {};
  const language = locale && languageName(locale);
  const area = { kind: "area", hint: t("glossary.one_a_line") } as const;
  const [right, wrong] = [accepted?.join("\n"), forbidden?.join("\n")];
  return [
    { name: "source", required: true, value: source },
    { name: "meaning", value: meaning },
    { name: "part_of_speech", value: partOfSpeech, placeholder: "noun" },
    ...(language === undefined
      ? []
      : [
          { name: "text", label: language, value: text },
          { ...area, name: "accepted", label: t("glossary.also_right_in", { language }), value: right },
          { ...area, name: "forbidden", label: t("glossary.wrong_in", { language }), value: wrong },
        ]),
    { kind: "one", name: "match", value: match, options: matchKinds },
    { kind: "switch", name: "case", isOn: isExact },
    { kind: "switch", name: "keep", isOn: keep },
  ];
}

const termForm: HiveForm = {
  path: "glossary",
  button: "common.add",
  ability: "write",
  present: async ({ storage, hive, form }) => {
    const edit = form.word("edit");
    if (edit === undefined) return undefined;
    const { settings } = await hiveOutline(storage, hive.slug);
    const term = await termNamed(storage, hive.slug, edit);
    return termFields(term, localeNamed(settings, form.text("locale")));
  },
  take: async (request) => {
    const { storage, hive, form, context } = request;
    const locale = form.word("locale");
    const spellings = (name: string): readonly string[] =>
      form
        .text(name)
        .split("\n")
        .filter((line) => line.trim() !== "");
    const translation = {
      text: form.word("text") ?? null,
      accepted: spellings("accepted"),
      forbidden: spellings("forbidden"),
    };
    const term = {
      id: form.word("edit"),
      source: form.text("source"),
      // A new term of a spelling that is there is another meaning of it.
      meaning: form.word("meaning") ?? null,
      part_of_speech: form.word("part_of_speech") ?? null,
      match: form.text("match"),
      case: form.text("case") === "true",
      keep: form.text("keep") === "true",
      translations: locale === undefined ? {} : { [locale]: translation },
    };
    const terms = await toTerms([term]);
    if (term.id === undefined) await requireNew(storage, hive.slug, terms);
    const done = await changeTerms(storage, hive.slug, terms, "merge", context);
    return savedIn(request, locale, done);
  },
};

/** Back to the terms of a locale, with what became of a form. */
function savedIn(request: HiveRequest, locale: string | undefined, done: Done): Redirect {
  return {
    to: request.hiveLink(["glossary"], { locale }),
    notice: savedNotice(done),
    undo: undoOnMain(request, done),
  };
}

/** A form that adds a term must not change one that is there. @throws SkepError `invalid` on `source`. */
async function requireNew(
  storage: StorageBase,
  slug: HiveSlug,
  [wanted]: readonly SentTerm[],
): Promise<void> {
  if (wanted === undefined) return;
  const same = { search: wanted.source, offset: 0, limit: Infinity };
  const { entries: terms } = await (await listTerms(storage, slug, same)).read();
  const isThere = terms.some(
    ({ source, meaning = null, partOfSpeech = null }) =>
      source === wanted.source && meaning === wanted.meaning && partOfSpeech === wanted.partOfSpeech,
  );
  if (isThere) throw invalid("source", "is there already with this meaning; change it in the list");
}

async function styleOf(
  { storage, hive }: Pick<HiveRequest, "storage" | "hive">,
  code: string,
): Promise<string> {
  return (await (await readStyle(storage, hive.slug, code)).read()).text;
}

function styleFields(text: string): readonly FormField[] {
  const hint = t("glossary.up_to_characters", { count: maxStyle });
  return [{ kind: "area", name: "text", value: text, rows: 6, hint }];
}

const styleForm: HiveForm = {
  path: "glossary/style",
  button: "glossary.save_the_style",
  ability: "write",
  present: async (request) => styleFields(await styleOf(request, request.form.text("locale"))),
  take: async (request) => {
    const { storage, hive, form, context } = request;
    const locale = form.text("locale");
    const done = await changeStyle(storage, hive.slug, locale, form.text("text"), context);
    return savedIn(request, locale, done);
  },
};

function Style(props: {
  locale: Locale;
  submitted: FormState | undefined;
  text: string;
  /** That of the locale, or the one that it inherits. */
  inForce: Awaited<ReturnType<typeof styleInForce>>;
}) {
  const { locale, submitted, text, inForce } = props;
  const inherited = text === "" ? inForce : undefined;
  const canChange = mayWriteAll(useHive());
  return (
    <>
      <h2>{t("common.style_of", { locale: languageName(locale) })}</h2>
      {inherited !== undefined && (
        <>
          <p>{t("glossary.inherited_style", { locale: languageName(inherited.locale) })}</p>
          <p class="source">
            <Text text={inherited.text} />
          </p>
        </>
      )}
      {!canChange &&
        inherited === undefined &&
        (text === "" ? (
          <p>{t("common.there_is_none_yet")}</p>
        ) : (
          <p class="source">
            <Text text={text} />
          </p>
        ))}
      {canChange && (
        <PageForm
          of={styleForm}
          isChange
          submitted={submitted}
          fields={styleFields(text)}
          hidden={{ locale: codeOf(locale) }}
        />
      )}
    </>
  );
}

async function remove(request: HiveFormRequest): Promise<PageResult> {
  const { storage, hive, form, context } = request;
  const done = await deleteTerm(storage, hive.slug, form.text("id"), context);
  return { ...savedIn(request, form.word("locale"), done), notice: "removed" };
}

const path = "/hives/:slug/glossary";

export const glossaryPages: readonly PageRoute[] = [
  { kind: "hive", path, handler: (request) => show(request) },
  hiveForm(termForm, show),
  hiveForm(styleForm, show),
  { kind: "hive-form", path: `${path}/remove`, ability: "write", handler: remove },
  ...glossaryFilePages(show),
];
