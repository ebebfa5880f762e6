/** One search for everything: pages, Hives, languages and strings. A script shows its results in a dialog, too. */
import type { Child } from "hono/jsx";
import { z } from "zod";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { reachedOf } from "../../../domain/access/token.ts";
import { searchedLength } from "../../../domain/queries/team-search.ts";
import { fold } from "../../../domain/strings/folded-texts.ts";
import {
  searchTeam,
  type FoundAnywhere,
  type FoundHive,
  type FoundLocale,
  type FoundOfTeam,
} from "../../../service/search.ts";
import { once } from "../../../api/objects.ts";
import { isOwnLanguage, worksInto } from "../parts/languages.ts";
import { pagesOf } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { Code, Name, Text } from "../parts/text.tsx";
import { useLink } from "../requests/context.tsx";
import { lastPlace } from "../requests/cookies.ts";
import { readFiltered } from "../requests/form.ts";
import { stringLink, type Link } from "../requests/links.ts";
import type { PageRoute, Step, TeamRequest, View } from "../requests/page.ts";
import { languageName, t } from "../texts/texts.ts";

const searchQuery = z.strictObject({
  q: z.string().max(searchedLength.max, `must have at most ${searchedLength.max} characters`).default(""),
  hive: once,
});

async function show(request: TeamRequest): Promise<View> {
  const { query, link } = request;
  const filtered = await readFiltered(searchQuery, query, (asked) => find(request, asked));
  const { result } = filtered;
  return {
    title: t("search.search"),
    above: [],
    status: result === undefined ? 422 : 200,
    body: (
      <>
        <FilterForm
          page={["search"]}
          state={filtered}
          live="results"
          button={t("search.search")}
          fields={[{ name: "q", label: t("search.what"), type: "search", class: "wide" }]}
        />
        <div id="results">{result !== undefined && <Results {...result} link={link} />}</div>
      </>
    ),
  };
}

interface Result extends FoundOfTeam {
  readonly pages: readonly Step[];
  readonly isAsked: boolean;
}

/** What a search finds; without a text, where somebody can go. */
async function find(
  { storage, session, link, signal, ownLanguages, ...request }: TeamRequest,
  { q, hive }: z.output<typeof searchQuery>,
): Promise<Result> {
  const { caller } = session;
  const text = q.trim();
  const hasLocale = (locale: Locale): boolean => worksInto(caller.principal, locale);
  const pages = pagesOf({ ...request, storage, session, link, signal, ownLanguages }, hive);
  const isAsked = text.length >= searchedLength.min;
  if (isAsked) {
    const found = await searchTeam(storage, caller, { text, first: hive, hasLocale, signal });
    const needle = fold(text);
    return { ...found, pages: pages.filter(({ label }) => fold(label).includes(needle)), isAsked };
  }
  const last = lastPlace(request);
  const slugs = reachedOf(caller.principal, caller.team.hives);
  const hives: FoundHive[] = [];
  const locales: FoundLocale[] = [];
  for (const slug of slugs
    .toSorted((a, b) => Number(b === last?.hive) - Number(a === last?.hive))
    .slice(0, maxOffered)) {
    const { overview } = await storage.hives.at(slug).overview();
    const one = { slug, name: overview?.settings.name ?? slug };
    hives.push(one);
    const isNext = (locale: Locale): boolean =>
      (slug === last?.hive && codeOf(locale) === last.locale) || isOwnLanguage({ ownLanguages }, locale);
    const next =
      overview?.settings.targetLocales.filter((locale) => isNext(locale) && hasLocale(locale)) ?? [];
    locales.push(...next.map((locale) => ({ hive: one, locale })));
  }
  return { hives, locales, pages, strings: [], isAsked };
}

/** How many Hives are offered before anything is typed. */
const maxOffered = 10;

function Results({ hives, locales, strings, pages, isAsked, link }: Result & { readonly link: Link }) {
  const isNothing = hives.length + locales.length + strings.length + pages.length === 0;
  return (
    <>
      {isNothing && <p>{t("search.nothing_found")}</p>}
      <Group
        title={t("search.languages")}
        items={locales.map((one) => (
          <LanguageResult found={one} />
        ))}
      />
      <Group
        title={t("common.hives")}
        items={hives.map(({ slug, name }) => (
          <a href={link(["hives", slug])}>
            <Name name={name} />
          </a>
        ))}
      />
      <Group
        title={t("common.strings")}
        items={strings.map((one) => (
          <StringResult found={one} />
        ))}
      />
      <Group
        title={t("search.pages")}
        items={pages.map(({ label, href }) => (
          <a href={href}>{label}</a>
        ))}
      />
      {!isAsked && <p class="soft small">{t("search.type_more")}</p>}
    </>
  );
}

function Group({ title, items }: { title: string; items: readonly Child[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="results">
        {items.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    </section>
  );
}

function LanguageResult({ found: { hive, locale } }: { found: FoundLocale }) {
  const link = useLink();
  return (
    <a href={link(["hives", hive.slug, "translate", codeOf(locale)])}>
      {t("home.hive_into_language", { hive: <Name name={hive.name} />, locale: languageName(locale) })}
    </a>
  );
}

function StringResult({ found }: { found: FoundAnywhere }) {
  const link = useLink();
  const { hive, file, key, source, translation } = found;
  const locale = translation && codeOf(translation.locale);
  return (
    <a href={stringLink((path, query) => link(["hives", hive.slug, ...path], query), file, key, { locale })}>
      <Code name={key} />{" "}
      <span class="soft small">
        <Name name={hive.name} /> · <Name name={file} />
      </span>
      <Text text={source} limit={maxText} />
      {translation !== undefined && (
        <span class="translated">
          <Text text={translation.text} lang={translation.locale.code} limit={maxText} />
        </span>
      )}
    </a>
  );
}

/** How much of a text is shown. */
const maxText = 200;

export const searchPages: readonly PageRoute[] = [
  { kind: "team", path: "/search", isSlow: true, handler: show },
];
