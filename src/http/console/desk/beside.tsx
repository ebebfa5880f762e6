/** What stands beside the string that somebody translates: memory, terms, other languages, neighbours, history. */
import type { Child } from "hono/jsx";
import { localeNamed } from "../../../domain/hives/hive-settings.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { MemoryHit } from "../../../service/memory/memory.ts";
import type { PageItem, PageWork } from "../../../service/work/work-page.ts";
import { TermsOf } from "../glossary/terms.tsx";
import { languageName } from "../parts/languages.ts";
import { stringLink } from "../parts/string-link.ts";
import { Code, Name, Text } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";
import { nameOf } from "./filters.ts";
import { formId } from "./work-form.tsx";

export function Beside({
  request: { hiveLink, hive },
  work: { settings, locale, style },
  item,
  memory,
  history,
  filters,
}: {
  readonly request: HiveRequest;
  readonly work: PageWork;
  readonly item: PageItem;
  readonly memory: readonly MemoryHit[];
  readonly history: readonly HistoryEntry[];
  readonly filters: LinkQuery;
}) {
  const { sourceLocale } = settings;
  const others = Object.entries(item.otherLocales);
  const found = item.forms.flatMap((form) => form.found);
  return (
    <>
      <Part title="Memory" isEmpty={memory.length === 0}>
        <ol class="memory">
          {memory.map((hit, i) => (
            <li>
              <button class="take" form={formId} name="take" value={hit.text} formnovalidate data-key={i + 1}>
                <Text text={hit.text} lang={locale.code} />
              </button>
              <p class="soft small">
                {hit.score} %{hit.former && ", of a former source text"}
                {!hit.approved && ", waits for a review"}
                {hit.hive !== hive.slug && (
                  <>
                    , <Name name={hit.hive} />
                  </>
                )}
                {hit.score < 100 && (
                  <>
                    :{" "}
                    <WordDiff
                      before={hit.source}
                      after={item.forms.at(-1)?.source}
                      lang={sourceLocale.code}
                    />
                  </>
                )}
              </p>
            </li>
          ))}
        </ol>
      </Part>
      <Part title="Terms" isEmpty={found.length === 0}>
        <TermsOf found={found} lang={sourceLocale.code} locales={[locale]} />
      </Part>
      {style !== "" && (
        <details class="part">
          <summary>Style of {languageName(locale)}</summary>
          <Text text={style} />
        </details>
      )}
      <Part title="Other languages" isEmpty={others.length === 0}>
        <dl class="texts">
          {others.map(([code, text]) => {
            const other = localeNamed(settings, code);
            return (
              <div>
                <dt>{other === undefined ? <Code name={code} /> : languageName(other)}</dt>
                <dd>
                  <Text text={text} lang={other?.code} />
                </dd>
              </div>
            );
          })}
        </dl>
      </Part>
      <Part title="Strings around it" isEmpty={item.neighbours.length === 0}>
        <ul class="neighbours">
          {item.neighbours.map(({ key, source, translation }) => (
            <li>
              <a
                href={hiveLink(["translate", codeOf(locale)], {
                  ...filters,
                  at: nameOf({ file: item.file, key }),
                })}
              >
                <Code name={key} />
              </a>
              <p>
                <Text text={source} lang={sourceLocale.code} />
                {translation !== undefined && (
                  <span class="translated">
                    <Text text={translation} lang={locale.code} />
                  </span>
                )}
              </p>
            </li>
          ))}
        </ul>
      </Part>
      <Part title="History" isEmpty={history.length === 0}>
        <ol class="past">
          {history.map(({ commit, author, time, changes = [] }) => (
            <li>
              {changes.map(({ before, after, locale: of }) => (
                <WordDiff before={before} after={after} lang={localeNamed(settings, of)?.code} />
              ))}
              <p class="soft small">
                <Name name={author.name} />, <Time seconds={time} />{" "}
                <a href={hiveLink(["history", commit])}>
                  <code>{commit.slice(0, 7)}</code>
                </a>
              </p>
            </li>
          ))}
        </ol>
        <p class="small">
          <a href={stringLink(hiveLink, item.file, item.key)}>Everything about this string</a>
        </p>
      </Part>
    </>
  );
}

function Part({
  title,
  isEmpty,
  children,
}: {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly children?: Child;
}) {
  if (isEmpty) return null;
  return (
    <section class="part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
