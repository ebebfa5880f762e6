/** What stands beside the string that somebody translates: memory, terms, other languages, neighbours, history, keys. */
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { localeNamed } from "../../../domain/hives/hive-settings.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { MemoryHit } from "../../../service/memory/memory.ts";
import type { PageItem, PageWork } from "../../../service/work/work-page.ts";
import { TermsOf } from "../glossary/terms.tsx";
import { languageName } from "../parts/languages.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { Code, Key, Name, Text, WordDiff, Time } from "../parts/text.tsx";
import { nameOf } from "../editor/editor.tsx";
import { formId } from "./work-form.tsx";
import { t, type TextKey } from "../texts/texts.ts";

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
  const { hiveLink, hive } = useHive();
  const { sourceLocale } = settings;
  const others = Object.entries(item.otherLocales);
  const found = item.forms.flatMap((form) => form.found);
  return (
    <>
      <Part title={t("beside.memory")} isEmpty={memory.length === 0}>
        <ol class="memory">
          {memory.map((hit, i) => (
            <li>
              <button class="take" form={formId} name="take" value={hit.text} formnovalidate data-key={i + 1}>
                <Text text={hit.text} lang={locale.code} />
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
      <Part title={t("common.terms")} isEmpty={found.length === 0}>
        <TermsOf found={found} lang={sourceLocale.code} locales={[locale]} />
      </Part>
      {style !== "" && (
        <details class="part">
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
                  <Text text={text} lang={other?.code} />
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
                <Name name={author.name} />, <Time seconds={time} />{" "}
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
