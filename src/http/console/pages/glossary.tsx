/** The glossary of a Hive, and the style of a locale: the terms with their translations into one locale, and their forms. */
import { z } from "zod";
import { invalid, isFailure, SkepError } from "../../../domain/errors.ts";
import { matchKinds, type Term } from "../../../domain/glossary/term.ts";
import { maxStyle } from "../../../domain/glossary/style.ts";
import { localeNamed, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import {
  changeTerms,
  deleteTerm,
  listTerms,
  termNamed,
  type SentTerm,
} from "../../../service/context/glossary.ts";
import { changeStyle, readStyle } from "../../../service/context/style.ts";
import type { Storage } from "../../../service/storage.ts";
import type { HiveSlug } from "../../../domain/names.ts";
import { toTerms } from "../../schemas/glossary-schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { check, once, pageQuery } from "../../schemas/schemas.ts";
import { Choice, FilterForm, localeOption, TextField } from "../parts/fields.tsx";
import { languageName } from "../parts/languages.ts";
import { Listing } from "../parts/listing.tsx";
import { hivePage } from "../parts/navigation.ts";
import { hiveForm, PageForm, type FormField, type HiveForm } from "../parts/page-form.tsx";
import { Pager } from "../parts/pager.tsx";
import { Confirm, HiddenFields } from "../parts/post-form.tsx";
import { TermMeaning, TermTranslation } from "../glossary/terms.tsx";
import { Text } from "../parts/text.tsx";
import { stateOf, type FormState } from "../requests/form-state.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
/** `locale` is the one whose translations are shown; `edit` is the id of the term whose form is open. */
const glossaryQuery = pageQuery.pick({ page: true }).extend({ search: once, locale: once, edit: once });

/** What a form leaves out of the page's query. */
const hiddenFields = z.object({ locale: once, edit: once });

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, hiveLink, query, canWrite } = request;
  const given = submitted === undefined ? query : check(hiddenFields, submitted.values, "form");
  const { page, search, locale: code, edit } = check(glossaryQuery, given, "query");
  const paging = { page, per_page: perPage };
  const listed = await listTerms(storage, hive.slug, { ...toOffsetLimit(paging), search });
  const { terms, total, settings } = await listed.read();
  const locale = (code === undefined ? undefined : localeNamed(settings, code)) ?? settings.targetLocales[0];
  const edited = edit === undefined ? undefined : await termNamed(storage, hive.slug, edit);
  const shown = { search, locale: locale && codeOf(locale) };
  const form = canWrite && (
    <>
      <h2 id="form">{edited === undefined ? "Add a term" : "Change a term"}</h2>
      <PageForm
        of={edited === undefined ? termForm : { ...termForm, button: "Save" }}
        request={request}
        submitted={submitted}
        fields={termFields(edited, locale)}
      >
        <HiddenFields fields={{ locale: shown.locale ?? "", edit: edit ?? "" }} />
      </PageForm>
    </>
  );
  return hivePage(
    request,
    "Glossary",
    <>
      <FilterForm request={request} page="glossary" live="terms">
        <TextField
          name="search"
          label="Search"
          type="search"
          value={search}
          state={stateOf(undefined, "filter")}
        />
        {locale !== undefined && (
          <Choice
            name="locale"
            label="Language"
            value={codeOf(locale)}
            options={settings.targetLocales.map(localeOption)}
            state={stateOf(undefined, "filter")}
          />
        )}
        <button>Show</button>
      </FilterForm>
      {settings.glossary !== undefined && (
        <p>
          Where this Hive has no term of its own, those of <code>{settings.glossary}</code> count.
        </p>
      )}
      {edited !== undefined && (
        <>
          {form}
          <h2>Terms</h2>
        </>
      )}
      <div id="terms">
        {total === 0 ? (
          <p>{search === undefined ? "There is no term yet." : "No term contains that."}</p>
        ) : (
          <Listing
            columns={["Term", "Meaning", ...(locale === undefined ? [] : [languageName(locale)])]}
            rows={terms.map((term) => rowOf(request, term, settings, locale, shown))}
          />
        )}
        <Pager
          paging={paging}
          total={total}
          to={(other) => hiveLink(["glossary"], { ...shown, page: other })}
        />
      </div>
      {edited === undefined && form}
      {locale !== undefined && (
        <Style
          request={request}
          locale={locale}
          submitted={submitted}
          text={await styleOf(request, locale)}
        />
      )}
    </>,
  );
}

function rowOf(
  request: HiveRequest,
  term: Term,
  settings: HiveSettings,
  locale: Locale | undefined,
  shown: { readonly search?: string; readonly locale?: string },
) {
  const { session, hiveLink, canWrite } = request;
  const { id, source } = term;
  return {
    cells: [
      <Text text={source} lang={settings.sourceLocale.code} needle={shown.search} />,
      <TermMeaning term={term} needle={shown.search} />,
      ...(locale === undefined
        ? []
        : [<TermTranslation term={term} locale={locale} needle={shown.search} />]),
    ],
    action: canWrite ? (
      <>
        <a href={hiveLink(["glossary"], { ...shown, edit: id })}>
          Change<span class="visually-hidden"> {source}</span>
        </a>
        <Confirm
          session={session}
          to={hiveLink(["glossary", "remove"])}
          label="Remove…"
          what={source}
          button={`Remove ${source}`}
          fields={{ id, locale: shown.locale ?? "" }}
        >
          <p>It goes with its translations into all languages, which an undo brings back.</p>
        </Confirm>
      </>
    ) : undefined,
  };
}

const matchNames: Readonly<Record<(typeof matchKinds)[number], string>> = {
  word: "whole words",
  prefix: "words that begin with it",
  exact: "whole words, exactly as written",
};

function termFields(term: Term | undefined, locale: Locale | undefined): FormField[] {
  const translation = locale && term?.translations.get(locale.code);
  const language = locale && languageName(locale);
  return [
    { name: "source", label: "Term", required: true, value: term?.source },
    { name: "meaning", label: "Meaning", value: term?.meaning },
    { name: "part_of_speech", label: "Part of speech", value: term?.partOfSpeech, placeholder: "noun" },
    ...(language === undefined
      ? []
      : [
          { name: "text", label: language, value: translation?.text },
          {
            kind: "area",
            name: "accepted",
            label: `Also right in ${language}`,
            value: translation?.accepted.join("\n"),
            hint: "One a line.",
          } as const,
          {
            kind: "area",
            name: "forbidden",
            label: `Wrong in ${language}`,
            value: translation?.forbidden.join("\n"),
            hint: "One a line.",
          } as const,
        ]),
    {
      kind: "one",
      name: "match",
      label: "Found as",
      value: term?.match ?? "word",
      options: matchKinds.map((kind) => [kind, matchNames[kind]]),
    },
    { kind: "switch", name: "case", label: "Upper and lower case make a difference", isOn: term?.case },
    { kind: "switch", name: "keep", label: "Stays as it is in every language", isOn: term?.keep },
  ];
}

const termForm: HiveForm = {
  path: "glossary",
  button: "Add",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
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
    try {
      const terms = await toTerms([term]);
      if (term.id === undefined) await requireNew(storage, hive.slug, terms);
      await changeTerms(storage, hive.slug, terms, "merge", context);
    } catch (error) {
      throw isFailure(error, "invalid") ? onFields(error) : error;
    }
    return { to: hiveLink(["glossary"], { locale }), notice: "saved" };
  },
};

/** A form that adds a term must not change one that is there. @throws SkepError `invalid` on `source`. */
async function requireNew(storage: Storage, slug: HiveSlug, [wanted]: readonly SentTerm[]): Promise<void> {
  if (wanted === undefined) return;
  const same = { search: wanted.source, offset: 0, limit: Infinity };
  const { terms } = await (await listTerms(storage, slug, same)).read();
  const isThere = terms.some(
    ({ source, meaning = null, partOfSpeech = null }) =>
      source === wanted.source && meaning === wanted.meaning && partOfSpeech === wanted.partOfSpeech,
  );
  if (isThere) throw invalid("source", "is there already with this meaning; change it in the list");
}

/** The faults of one term under the names of the form's fields. */
function onFields({ message, data }: SkepError<"invalid">): SkepError {
  const issues = data.issues.map(({ field, message: problem }) => {
    const [name = ""] = field.replace(/^terms\.0(?:\.translations\.[^.]+)?\.?/, "").split(".");
    return { field: name, message: problem.replace(field, name) };
  });
  return new SkepError("invalid", message, { ...data, issues });
}

async function styleOf({ storage, hive }: HiveRequest, locale: Locale): Promise<string> {
  return (await (await readStyle(storage, hive.slug, codeOf(locale))).read()).text;
}

const styleForm: HiveForm = {
  path: "glossary/style",
  button: "Save the style",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const locale = form.text("locale");
    await changeStyle(storage, hive.slug, locale, form.text("text"), context);
    return { to: hiveLink(["glossary"], { locale }), notice: "saved" };
  },
};

function Style({
  request,
  locale,
  submitted,
  text,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly submitted: FormState | undefined;
  readonly text: string;
}) {
  return (
    <>
      <h2>Style of {languageName(locale)}</h2>
      {!request.canWrite &&
        (text === "" ? (
          <p>There is none yet.</p>
        ) : (
          <p class="source">
            <Text text={text} />
          </p>
        ))}
      {request.canWrite && (
        <PageForm
          of={styleForm}
          request={request}
          submitted={submitted}
          fields={[
            {
              kind: "area",
              name: "text",
              label: "How to address the reader, the tone, the punctuation",
              value: text,
              rows: 6,
              hint: `Up to ${maxStyle} characters.`,
            },
          ]}
        >
          <HiddenFields fields={{ locale: codeOf(locale) }} />
        </PageForm>
      )}
    </>
  );
}

async function remove({ storage, hive, hiveLink, form, context }: HiveFormRequest): Promise<PageResult> {
  await deleteTerm(storage, hive.slug, form.text("id"), context);
  return { to: hiveLink(["glossary"], { locale: form.word("locale") }), notice: "removed" };
}

const path = "/hives/:slug/glossary";

export const glossaryPages: readonly PageRoute[] = [
  { kind: "hive", path, handler: (request) => show(request) },
  hiveForm(termForm, show),
  hiveForm(styleForm, show),
  { kind: "hive-form", path: `${path}/remove`, ability: "write", handler: remove },
];
