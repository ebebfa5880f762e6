/** What stands beside the string that somebody translates: memory, terms, other languages, neighbours, history, keys. */
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { localeNamed } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { MemoryHit } from "../../../service/memory/memory.ts";
import type { PageItem, PageWork } from "../../../service/work/work-page.ts";
import { BranchedText, MarkedText, TermsOf } from "../glossary/terms.tsx";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { Code, Key, Name, Text, WordDiff, Time } from "../parts/text.tsx";
import { nameOf } from "../editor/editor.tsx";
import { formId } from "./work-form.tsx";
import { comma, languageName, t, type TextKey } from "../texts/texts.ts";

/** How many translations of the memory are in sight at once. */
const shownHits = 3;

/** What stands beside a string on the page of work: its neighbours, terms, memory and history. */
export function Beside(props: {
  work: PageWork;
  item: PageItem;
  memory: readonly MemoryHit[];
  history: readonly HistoryEntry[];
  filters: LinkQuery;
}) {
  const { work, item, memory, history, filters } = props;
  const { settings, locale, style } = work;
  const { hiveLink } = useHive();
  const { sourceLocale } = settings;
  const others = Object.entries(item.otherLocales);
  const found = item.forms.flatMap((form) => form.found);
  return (
    <>
      <Part title={t("common.terms")} isEmpty={found.length === 0}>
        <TermsOf found={found} lang={sourceLocale.code} locales={[locale]} />
      </Part>
      <Part title={t("beside.memory")} isEmpty={memory.length === 0}>
        <Hits hits={memory.slice(0, shownHits)} item={item} lang={sourceLocale.code} locale={locale} />
        {memory.length > shownHits && (
          <details class="more-hits">
            <summary>{t("beside.more", { count: memory.length - shownHits })}</summary>
            <Hits
              hits={memory.slice(shownHits)}
              before={shownHits}
              item={item}
              lang={sourceLocale.code}
              locale={locale}
            />
          </details>
        )}
      </Part>
      {style !== "" && (
        <details class="part" open>
          <summary>{t("common.style_of", { locale: languageName(locale) })}</summary>
          <Text text={style} />
        </details>
      )}
      <Part title={t("beside.other_languages")} isEmpty={others.length === 0}>
        <dl class="texts">
          {others.map(([code, text]) => {
            const other = localeNamed(settings, code);
            return (
              <div>
                <dt>{other === undefined ? <Code name={code} /> : languageName(other)}</dt>
                <dd>
                  {other === undefined ? (
                    <Text text={text} />
                  ) : (
                    <BranchedText text={text} syntax={item.syntax} lang={other.code} />
                  )}
                </dd>
              </div>
            );
          })}
        </dl>
      </Part>
      <Part title={t("beside.strings_around_it")} isEmpty={item.neighbours.length === 0}>
        <ul class="neighbours">
          {item.neighbours.map(({ key, source, translation }) => (
            <li>
              <Key
                name={key}
                href={hiveLink(["translate", codeOf(locale)], {
                  ...filters,
                  at: nameOf({ file: item.file, key }),
                })}
              />
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
      <Part title={t("common.history")} isEmpty={history.length === 0}>
        <ol class="past">
          {history.map(({ commit, author, time, changes = [] }) => (
            <li>
              {changes.map(({ before, after, locale: of }) => (
                <WordDiff before={before} after={after} lang={localeNamed(settings, of)?.code} />
              ))}
              <p class="soft small">
                <Name name={author.name} />
                {comma()}
                <Time seconds={time} />{" "}
                <a href={hiveLink(["history", commit])}>
                  <code>{commit.slice(0, 7)}</code>
                </a>
              </p>
            </li>
          ))}
        </ol>
        <p class="small">
          <a href={stringLink(hiveLink, item.file, item.key)}>{t("beside.everything_about_this_string")}</a>
        </p>
      </Part>
    </>
  );
}

/** Translations of the memory, each of which one press takes. @param props.before how many stand before these. */
function Hits(props: {
  hits: readonly MemoryHit[];
  before?: number;
  item: PageItem;
  /** The language of the source texts. */
  lang: string;
  locale: Locale;
}) {
  const { hits, before = 0, item, lang, locale } = props;
  const { hive } = useHive();
  return (
    <ol class="memory">
      {hits.map((hit, i) => (
        <li>
          <button
            class="take"
            form={formId}
            name="take"
            value={hit.text}
            formnovalidate
            data-key={before + i + 1}
          >
            <MarkedText text={hit.text} syntax={item.syntax} lang={locale.code} />
          </button>
          <p class="soft small">
            {hit.score} %{hit.former && t("beside.of_a_former_source_text")}
            {!hit.approved && t("beside.waits_for_a_review")}
            {hit.hive !== hive.slug && (
              <>
                , <Name name={hit.hive} />
              </>
            )}
            {hit.score < 100 && (
              <>
                : <WordDiff before={hit.source} after={item.forms.at(-1)?.source} lang={lang} />
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}

function Part({ title, isEmpty, children }: { title: string; isEmpty: boolean; children?: Child }) {
  if (isEmpty) return null;
  return (
    <section class="part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const keys: readonly (readonly [keys: readonly string[], what: TextKey])[] = [
  [["Ctrl", "Enter"], "keys.save_and_go_on"],
  [["Ctrl", "Alt", "Enter"], "keys.approve_and_go_on"],
  [["Ctrl", "Shift", "Enter"], "keys.reject"],
  [["Ctrl", "S"], "keys.save_and_stay"],
  [["Alt", "1…9"], "keys.insert_an_argument"],
  [["Ctrl", "1…9"], "keys.take_a_text"],
  [["Alt", "C"], "keys.copy_the_source_text"],
  [["Alt", "M"], "keys.suggest"],
  [["Alt", "↓"], "keys.next"],
  [["Alt", "↑"], "keys.back"],
  [["?"], "keys.show_these_keys_outside"],
];

/** The keyboard shortcuts of the page of work. */
export function Keys() {
  return (
    <details class="part" id="keys">
      <summary>{t("keys.keys")}</summary>
      <dl class="keys">
        {keys.map(([combination, what]) => (
          <div>
            <dt>
              {combination.map((key, i) => (
                <>
                  {i > 0 && " + "}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <p class="soft small">{t("keys.on_a_mac")}</p>
    </details>
  );
}
